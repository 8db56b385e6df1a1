#include "models/dry_friction.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model dry_friction() {
  Model model;
  model.name = "dry-friction";
  model.summary = "a driven block on a spring sticks and slips: Coulomb friction";
  model.source =
      "J. P. Den Hartog, Forced vibrations with combined Coulomb and viscous friction, Trans. ASME 53, 1931";
  model.equations = {
      "x' = v",
      "v' = -x - mu*sgn(stick) + A*cos(w*t)",
      "surface stick: v",
  };
  model.parameters = {
      {"mu", 0.4, "friction force, per unit mass"},
      {"A", 1, "amplitude of the drive"},
      {"w", 0.5, "angular frequency of the drive"},
  };
  model.state_names = {"x", "v"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_not_negative("mu", "friction would push the block along");
    const DryFriction functor{.mu = values["mu"], .A = values["A"], .w = values["w"]};
    return ModelInstance{.system = from_functor(functor, {.states = 2,
                                                          .surfaces = 1,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"stick"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 100,
                         .state = values.state(Eigen::Vector2d(2, 0))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return DryFrictionOf<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2]};
  });
  return model;
}

}  // namespace slideway::models
