#include "models/relay.hpp"

#include <type_traits>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

Model relay() {
  Model model;
  model.name = "relay";
  model.summary = "relay feedback round a third-order plant: oscillation with sliding pieces";
  model.source =
      "M. di Bernardo, K. H. Johansson, F. Vasca, Self-oscillations and sliding in relay feedback systems, "
      "Int. J. Bifurcation and Chaos 11(4), 2001; parameters and start of P. T. Piiroinen, Yu. A. Kuznetsov, "
      "ACM Trans. Math. Software 34(3), 2008, eq. (32)";
  model.equations = {
      "x1' = -(2*zeta*omega + lambda)*x1 + x2 - sgn(output)",
      "x2' = -(2*zeta*omega*lambda + omega^2)*x1 + x3 + 2*sigma*sgn(output)",
      "x3' = -lambda*omega^2*x1 - sgn(output)",
      "surface output: x1",
  };
  model.parameters = {
      {"omega", 25, "natural frequency of the plant's oscillating pair"},
      {"zeta", 0.05, "damping ratio of that pair"},
      {"lambda", 1, "decay rate of the plant's real pole"},
      {"sigma", 1, "growth rate of the zero dynamics s^2 - 2 sigma s + 1"},
  };
  model.state_names = {"x1", "x2", "x3"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("omega", "it is a frequency");
    const Relay functor{.omega = values["omega"],
                        .zeta = values["zeta"],
                        .lambda = values["lambda"],
                        .sigma = values["sigma"]};
    return ModelInstance{.system = from_functor(functor, {.states = 3,
                                                          .surfaces = 1,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"output"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 10,
                         .state = values.state(Eigen::Vector3d(0, -0.001, -0.02))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return RelayOf<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2], p[3]};
  });
  return model;
}

}  // namespace slideway::models
