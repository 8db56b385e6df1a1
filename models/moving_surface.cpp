#include "models/moving_surface.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model moving_surface() {
  Model model;
  model.name = "moving-surface";
  model.summary = "a follower of limited speed tracks a moving target: sliding on a surface that moves";
  model.source = "slew-rate limiting; closed form: it falls behind where a*w*cos(w*t) = +-k";
  model.equations = {
      "x' = -k*sgn(target)",
      "surface target: x - a*sin(w*t)",
  };
  model.parameters = {
      {"a", 1, "amplitude of the target's motion"},
      {"w", 1, "angular frequency of the target's motion"},
      {"k", 0.8, "top speed of the follower"},
  };
  model.state_names = {"x"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("k", "it is the follower's top speed");
    const MovingSurface functor{.a = values["a"], .w = values["w"], .k = values["k"]};
    return ModelInstance{.system = from_functor(functor, {.states = 1,
                                                          .surfaces = 1,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"target"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 15,
                         .state = values.state(Vector::Constant(1, 1.5))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return MovingSurfaceOf<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2]};
  });
  return model;
}

}  // namespace slideway::models
