#include "models/bouncing_ball.hpp"

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

Model bouncing_ball() {
  Model model;
  model.name = "bouncing-ball";
  model.summary = "a ball falls, bounces ever faster and comes to rest on the floor";
  model.source =
      "P. J. Mosterman, F. Zhao, G. Biswas, Sliding mode model semantics and simulation for hybrid systems, "
      "Hybrid Systems V, LNCS 1567, 1999; the values of DISODE45's manual, example 5";
  model.equations = {
      "x' = v",
      "v' = -g + floor",
      "contact floor: x >= 0, restitution e",
  };
  model.parameters = {
      {"g", 9.8, "acceleration of fall"},
      {"e", 0.9, "restitution: speed after an impact over speed before"},
  };
  model.state_names = {"x", "v"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_from_zero_to_one("e", "an impact does not add energy");
    const double e = values["e"];
    Contact floor;
    floor.name = "floor";
    floor.gap = Guard([](auto /*t*/, const auto& x) { return x[0]; });
    floor.acts_on = [](double, ConstVectorRef, VectorRef b) { b[1] = 1; };
    floor.restitution = [e](double) { return e; };
    return ModelInstance{
        .system =
            from_functor(BouncingBall{.g = values["g"]},
                         {.states = 2, .name = description.name, .state_names = description.state_names})
                .with_contacts({floor}),
        .parameters = values.parameters(),
        .start = 0,
        .end = 30,
        .state = values.state(Eigen::Vector2d(10, 0))};
  };
  return model;
}

}  // namespace slideway::models
