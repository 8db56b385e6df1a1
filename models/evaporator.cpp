#include "models/evaporator.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

std::vector<Parameter> evaporator_parameters() {
  return {
      {"R_b", 1, "resistance of the drain"},
      {"R_pipe", 0.5, "resistance of the overflow pipe"},
      {"I", 0.5, "inertia of the liquid in the overflow pipe"},
      {"C", 15, "capacity of the vessel"},
      {"f_in", 0.25, "inflow"},
      {"L_th", 0.1, "overflow level"},
  };
}

Evaporator evaporator_of(const Values& values) {
  values.require_positive("R_b", "the drain's flow is L/R_b");
  values.require_not_negative("R_pipe", "a pipe with less than no resistance drives its own flow");
  values.require_positive("I", "the pipe's flow is p/I");
  values.require_positive("C", "the level rises at (inflow - outflow)/C");
  return {.R_b = values["R_b"],
          .R_pipe = values["R_pipe"],
          .I = values["I"],
          .C = values["C"],
          .f_in = values["f_in"],
          .L_th = values["L_th"]};
}

Model evaporator() {
  Model model;
  model.name = "evaporator";
  model.summary = "a vessel fills to its overflow level, crosses it, comes back and slides along it";
  model.source =
      "P. J. Mosterman, F. Zhao, G. Biswas, Sliding mode model semantics and simulation for hybrid systems, "
      "Hybrid Systems V, LNCS 1567, 1999, eqs. (1)-(2); L_th is not stated there";
  model.equations = {
      "p' = -(R_pipe/I)*p + step(overflow)*L",
      "L' = (f_in - L/R_b - step(overflow)*p/I)/C",
      "surface overflow: L - L_th",
  };
  model.parameters = evaporator_parameters();
  model.state_names = {"p", "L"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    return ModelInstance{
        .system = from_functor(evaporator_of(values), {.states = 2,
                                                       .surfaces = 1,
                                                       .name = description.name,
                                                       .state_names = description.state_names,
                                                       .surface_names = {"overflow"}}),
        .parameters = values.parameters(),
        .start = 0,
        .end = 60,
        .state = values.state(Eigen::Vector2d(0, 0))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return EvaporatorOf<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2], p[3], p[4], p[5]};
  });
  return model;
}

}  // namespace slideway::models
