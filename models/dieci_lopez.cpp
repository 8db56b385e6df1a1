#include "models/dieci_lopez.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model dieci_lopez() {
  Model model;
  model.name = "dieci-lopez";
  model.summary = "two stick-slip oscillators: periodic sliding on one surface and on two";
  model.source =
      "L. Dieci, L. Lopez, Sliding motion in Filippov differential systems: theoretical results and a "
      "computational approach, SIAM J. Numer. Anal. 47(3), 2009";
  model.equations = {
      "x1' = (x2 + x3)/2 + step(h1)*step(h2)*g*x1*(x2 + 0.8)*(x3 + 0.6)",
      "x2' = -x1 + if(h1 > 0, -1/(0.8 + x2), 1/(1.2 - x2))",
      "x3' = -x1 + if(h2 > 0, -1/(0.6 + x3), 1/(1.4 - x3))",
      "surface h1: x2 - 0.2",
      "surface h2: x3 - 0.4",
  };
  model.parameters = {{"g", 1, "the field that acts where both surfaces are above 0"}};
  model.state_names = {"x1", "x2", "x3"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    const DieciLopez functor{.g = values["g"]};
    return ModelInstance{.system = from_functor(functor, {.states = 3,
                                                          .surfaces = 2,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"h1", "h2"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 20,
                         .state = values.state(Eigen::Vector3d(0.04, -0.01, -0.02))};
  };
  model.extend = extend_functor(
      model.instantiate, [](const auto& p) { return DieciLopezOf<std::decay_t<decltype(p[0])>>{p[0]}; });
  return model;
}

}  // namespace slideway::models
