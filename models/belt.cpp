#include "models/belt.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model belt() {
  Model model;
  model.name = "belt";
  model.summary = "a block on a moving belt sticks and slips: friction that falls with speed";
  model.source =
      "block on a belt: R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen, Nonlinear Dynamics "
      "16, "
      "1998; exponential friction law: B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, Automatica "
      "30(7), 1994";
  model.equations = {
      "x' = v",
      "v' = -x - sgn(stick)*(mk + (ms - mk)*exp(-sgn(stick)*(v - vb)/vs))",
      "surface stick: v - vb",
  };
  model.parameters = {
      {"ms", 1, "friction force at rest, per unit mass"},
      {"mk", 0.5, "friction force at high speed, per unit mass"},
      {"vs", 0.5, "speed over which friction falls"},
      {"vb", 0.5, "speed of the belt"},
  };
  model.state_names = {"x", "v"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_not_negative("ms", "friction would push the block along");
    values.require_not_negative("mk", "friction would push the block along");
    values.require_positive("vs", "friction falls like exp(-speed/vs)");
    const Belt functor{.ms = values["ms"], .mk = values["mk"], .vs = values["vs"], .vb = values["vb"]};
    return ModelInstance{.system = from_signs(functor, {.states = 2,
                                                        .surfaces = 1,
                                                        .name = description.name,
                                                        .state_names = description.state_names,
                                                        .surface_names = {"stick"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 100,
                         .state = values.state(Eigen::Vector2d(0, functor.vb))};
  };
  model.extend = extend_functor(
      model.instantiate,
      [](const auto& p) {
        return BeltOf<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2], p[3]};
      },
      [](auto functor, Dimensions dimensions) {
        return from_signs(std::move(functor), std::move(dimensions));
      });
  return model;
}

}  // namespace slideway::models
