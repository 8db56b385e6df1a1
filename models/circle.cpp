#include "models/circle.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model circle() {
  Model model;
  model.name = "circle";
  model.summary = "out to a circle, along it and off at a tangency: sliding on a curved surface";
  model.source =
      "Wolfram Research, NDSolve documentation (\"Compute sliding mode solutions\"): equations and initial "
      "state";
  model.equations = {
      "x1' = if(circle > 0, 1, x1)",
      "x2' = if(circle > 0, -1, x2)",
      "surface circle: x1^2 + x2^2 - c",
  };
  model.parameters = {{"c", 2, "squared radius of the circle"}};
  model.state_names = {"x1", "x2"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("c", "it is the square of a radius");
    const Circle functor{.c = values["c"]};
    return ModelInstance{.system = from_functor(functor, {.states = 2,
                                                          .surfaces = 1,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"circle"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 10,
                         .state = values.state(Eigen::Vector2d(-1, 0.1))};
  };
  model.extend = extend_functor(model.instantiate,
                                [](const auto& p) { return CircleOf<std::decay_t<decltype(p[0])>>{p[0]}; });
  return model;
}

}  // namespace slideway::models
