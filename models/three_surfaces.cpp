#include "models/three_surfaces.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model three_surfaces() {
  Model model;
  model.name = "three-surfaces";
  model.summary = "three coupled relays: sliding along three surfaces at once";
  model.source = "own";
  model.equations = {
      "x1' = -a*sgn(h1) + b*(sgn(h2) + sgn(h3)) + c1*z",
      "x2' = -a*sgn(h2) + b*(sgn(h1) + sgn(h3)) + c2*z",
      "x3' = -a*sgn(h3) + b*(sgn(h1) + sgn(h2)) + c3*z",
      "z' = 1",
      "surface h1: x1",
      "surface h2: x2",
      "surface h3: x3",
  };
  model.parameters = {
      {"a", 2, "effect of a relay on its own surface"},
      {"b", 0.5, "effect of a relay on the other surfaces"},
      {"c1", 0.5, "slope of the ramp on x1"},
      {"c2", 0.25, "slope of the ramp on x2"},
      {"c3", 0, "slope of the ramp on x3"},
  };
  model.state_names = {"x1", "x2", "x3", "z"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    const ThreeSurfaces functor{
        .a = values["a"], .b = values["b"], .c1 = values["c1"], .c2 = values["c2"], .c3 = values["c3"]};
    return ModelInstance{.system = from_functor(functor, {.states = 4,
                                                          .surfaces = 3,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"h1", "h2", "h3"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 8,
                         .state = values.state(Eigen::Vector4d(1, -1, 2, 0))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return ThreeSurfacesOf<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2], p[3], p[4]};
  });
  return model;
}

}  // namespace slideway::models
