#include "models/friction_belt.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

namespace {

std::string names_of_laws() {
  std::string text;
  for (std::size_t k = 0; k < friction::laws().size(); ++k) {
    text += fmt::format("{}{} {}", k == 0 ? "" : ", ", k + 1, friction::name(friction::laws()[k]));
  }
  return text;
}

}  // namespace

Model friction_belt() {
  Model model;
  model.name = "friction-belt";
  model.summary = "a block on a moving belt under any of eight laws of friction";
  model.source =
      "laws of friction: B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, Automatica 30(7), 1994; C. "
      "Canudas de Wit, "
      "H. Olsson, K. J. Astrom, P. Lischinsky, IEEE Trans. Automatic Control 40(3), 1995";
  model.equations = {
      "x' = v",
      "v' = (-k*x - F)/m,  F the force of the law at the velocity u = v - vb, s = sgn(u)",
      "viscous              F = B*u",
      "coulomb              F = Fc*s + B*u",
      "static               the same; at rest it holds up to Fs",
      "stribeck             F = (Fc + (Fs - Fc)*exp(-(u/vs)^2))*s + B*u",
      "stribeck-linear      F = (Fc + (Fs - Fc)*exp(-abs(u)/vs))*s + B*u",
      "exponential-literal  F = Fc*s + (Fs - Fc)*exp(-(u/vs)^2) + B*u",
      "dahl                 F = z,  z' = sigma0*(u - abs(u)*z/Fc)",
      "lugre                F = sigma0*z + sigma1*z' + sigma2*u,  z' = u - sigma0*abs(u)*z/(Fc + (Fs - "
      "Fc)*exp(-(u/vs)^2))",
      "surface belt: v - vb",
  };
  model.parameters = {
      {"law", 4, "the law of friction: " + names_of_laws()},
      {"m", 1, "mass [kg]"},
      {"k", 1, "stiffness of the spring [N/m]"},
      {"vb", 0.2, "speed of the belt [m/s]"},
      {"Fc", 0.5, "kinetic friction [N]"},
      {"Fs", 1, "friction at rest [N]"},
      {"vs", 0.3, "velocity over which friction falls [m/s]"},
      {"B", 0.1, "viscous friction, of the laws without a state [N s/m]"},
      {"sigma0", 1000, "stiffness of the bristles [N/m]"},
      {"sigma1", 10, "damping of the bristles [N s/m]"},
      {"sigma2", 0.1, "viscous friction of LuGre's law [N s/m]"},
  };
  model.state_names = {"x", "v", "z"};

  model.instantiate = [description = model](const Settings& settings) {
    const auto number = static_cast<std::size_t>(
        Values::count(description, settings, "law", 1, static_cast<Index>(friction::laws().size())));
    const Values values(description, settings);
    values.require_positive("m", "it is a mass");
    FrictionBelt functor{
        .law = friction::laws()[number - 1], .m = values["m"], .k = values["k"], .vb = values["vb"]};
    std::visit(
        [&](auto& law) {
          for (const friction::LawValue& value : law.values()) {
            const std::string name = value.name;
            *value.value = values[name == "sigma" ? "sigma0" : name];
          }
        },
        functor.law);
    friction::check(functor.law);
    const friction::Law law = functor.law;
    const double vb = functor.vb;
    FrictionElement element;
    element.name = "F";
    element.force = [law, vb](double, ConstVectorRef x, ConstVectorRef lambda) {
      return friction::force(law, x[1] - vb, lambda[0], x[2]);
    };
    element.velocity = [vb](double, ConstVectorRef x) { return x[1] - vb; };
    if (friction::has_state(law)) {
      element.stored = [law](double, ConstVectorRef x) { return friction::stored(law, x[2]); };
    }
    return ModelInstance{.system = from_functor(functor, {.states = 3,
                                                          .surfaces = 1,
                                                          .name = description.name,
                                                          .state_names = description.state_names,
                                                          .surface_names = {"belt"}}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 60,
                         .state = values.state(Eigen::Vector3d(0, 0, 0)),
                         .friction = {element}};
  };
  return model;
}

}  // namespace slideway::models
