#include "models/heat_rod.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

namespace {

constexpr Index kCells = 200;
constexpr Index kMostCells = 1'000'000;

std::vector<std::string> rod_states(Index cells) {
  std::vector<std::string> names;
  for (Index i = 1; i <= cells; ++i) names.push_back(fmt::format("u{}", i));
  return names;
}

}  // namespace

Model heat_rod() {
  Model model;
  model.name = "heat-rod";
  model.summary = "a rod of n cells, heated by a relay that watches its mean temperature: large and stiff";
  model.source = "the heat equation on [0, 1] by finite volumes, with a relay as boundary control";
  model.equations = {
      "u_1' = (u_2 - u_1)/dx^2 + q/dx,  dx = 1/n",
      "u_i' = (u_{i-1} - 2*u_i + u_{i+1})/dx^2,  i = 2...n-1",
      "u_n' = (u_{n-1} - u_n)/dx^2 + 2*(D*sin(w*t) - u_n)/dx^2",
      "q = -K*sgn(level)",
      "surface level: mean(u) - u_ref",
      "u_i(0) = 0",
  };
  model.parameters = {
      {"n", static_cast<double>(kCells), "number of cells"},
      {"K", 2, "heat flow of the relay"},
      {"u_ref", 0.5, "mean temperature to hold"},
      {"D", 1, "amplitude of the temperature at the far end"},
      {"w", 2, "its angular frequency"},
  };
  model.state_names = rod_states(kCells);

  model.instantiate = [description = model](const Settings& settings) {
    const Index cells = Values::count(description, settings, "n", 1, kMostCells);
    const Values values(description, rod_states(cells), settings);
    const HeatRod functor{.cells = cells,
                          .power = values["K"],
                          .reference = values["u_ref"],
                          .amplitude = values["D"],
                          .frequency = values["w"]};
    return ModelInstance{.system = from_functor(functor, {.states = cells,
                                                          .surfaces = 1,
                                                          .name = description.name,
                                                          .state_names = rod_states(cells),
                                                          .surface_names = {"level"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 10,
                         .state = values.state(Vector::Zero(cells))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return HeatRodOf<std::decay_t<decltype(p[0])>>{static_cast<Index>(p.value(0)), p[1], p[2], p[3], p[4]};
  });
  return model;
}

}  // namespace slideway::models
