#include "models/impact_oscillator.hpp"

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

Model impact_oscillator() {
  Model model;
  model.name = "impact-oscillator";
  model.summary = "a driven oscillator hits a rigid stop";
  model.source = "S. W. Shaw, P. J. Holmes, J. Sound Vib. 90(1), 1983";
  model.equations = {
      "x' = v",
      "v' = -x - 2*zeta*v + beta*cos(w*t) - stop",
      "contact stop: d - x >= 0, restitution e",
  };
  model.parameters = {
      {"zeta", 0.05, "damping ratio"},       {"beta", 1, "amplitude of the drive"},
      {"w", 2.6, "frequency of the drive"},  {"d", 0, "where the stop is"},
      {"e", 0.8, "restitution of the stop"},
  };
  model.state_names = {"x", "v"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_from_zero_to_one("e", "an impact does not add energy");
    const ImpactOscillator functor{.zeta = values["zeta"], .beta = values["beta"], .w = values["w"]};
    const double d = values["d"];
    const double e = values["e"];
    Contact stop;
    stop.name = "stop";
    stop.gap = Guard([d](auto /*t*/, const auto& x) { return d - x[0]; });
    stop.acts_on = [](double, ConstVectorRef, VectorRef b) { b[1] = -1; };
    stop.restitution = [e](double) { return e; };
    return ModelInstance{.system = from_functor(functor, {.states = 2,
                                                          .name = description.name,
                                                          .state_names = description.state_names})
                                       .with_contacts({stop}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 50,
                         .state = values.state(Eigen::Vector2d(d - 0.5, 0))};
  };
  return model;
}

}  // namespace slideway::models
