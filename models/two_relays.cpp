#include "models/two_relays.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model two_relays() {
  Model model;
  model.name = "two-relays";
  model.summary =
      "two coupled relays slide one after the other, both at once, and let go one after the other";
  model.source = "own";
  model.equations = {
      "x1' = -2*sgn(h1) + x3", "x2' = -sgn(h2) + 0.5*sgn(h1) + c*x3", "x3' = 1", "surface h1: x1",
      "surface h2: x2",
  };
  model.parameters = {
      {"c", 0.125, "how fast the second relay is overcome; from 0.25 on at once with the first"}};
  model.state_names = {"x1", "x2", "x3"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    const TwoRelays functor{.c = values["c"]};
    return ModelInstance{.system = from_functor(functor, {.states = 3,
                                                          .surfaces = 2,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"h1", "h2"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 6,
                         .state = values.state(Eigen::Vector3d(1, -1.5, 0))};
  };
  model.extend = extend_functor(
      model.instantiate, [](const auto& p) { return TwoRelaysOf<std::decay_t<decltype(p[0])>>{p[0]}; });
  return model;
}

}  // namespace slideway::models
