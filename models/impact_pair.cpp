#include "models/impact_pair.hpp"

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

Model impact_pair() {
  Model model;
  model.name = "impact-pair";
  model.summary = "two masses collide in a slot, stick together and part, again and again";
  model.source =
      "M. Calvo, J. I. Montijano, L. Randez, DISODE45, ACM Trans. Math. Softw. 43(3), 2016: manual, example "
      "3";
  model.equations = {
      "x1' = v1",
      "v1' = (-k1*x1 - c1*v1 + F0 + F*cos(w*t) - right + left)/m1",
      "x2' = v2",
      "v2' = (-k2*x2 - c2*v2 + right - left)/m2",
      "contact right: d - (x1 - x2) >= 0, restitution e",
      "contact left: d + (x1 - x2) >= 0, restitution e",
  };
  model.parameters = {
      {"m1", 2, "mass of the first"},
      {"m2", 1, "mass of the second"},
      {"k1", 30, "spring of the first"},
      {"k2", 20, "spring of the second"},
      {"c1", 0.6, "damping of the first"},
      {"c2", 0.6, "damping of the second"},
      {"F0", 35, "constant force on the first"},
      {"F", 30, "amplitude of the force on the first"},
      {"w", 1.38, "frequency of that force"},
      {"d", 0.5, "half the play"},
      {"e", 0.7, "restitution"},
  };
  model.state_names = {"x1", "v1", "x2", "v2"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("m1", "its acceleration is force/m1");
    values.require_positive("m2", "its acceleration is force/m2");
    values.require_positive("d", "the slot must leave room");
    values.require_from_zero_to_one("e", "an impact does not add energy");
    const ImpactPair functor{.m1 = values["m1"],
                             .m2 = values["m2"],
                             .k1 = values["k1"],
                             .k2 = values["k2"],
                             .c1 = values["c1"],
                             .c2 = values["c2"],
                             .F0 = values["F0"],
                             .F = values["F"],
                             .w = values["w"]};
    const double d = values["d"];
    const double e = values["e"];
    // side = 1: the first mass is as far right of the second as the slot allows.
    const auto end_of_slot = [&](const std::string& name, double side) {
      Contact contact;
      contact.name = name;
      contact.gap = Guard([d, side](auto /*t*/, const auto& x) { return d - side * (x[0] - x[2]); });
      contact.acts_on = [functor, side](double, ConstVectorRef, VectorRef b) {
        b[1] = -side / functor.m1;
        b[3] = side / functor.m2;
      };
      contact.restitution = [e](double) { return e; };
      return contact;
    };
    return ModelInstance{.system = from_functor(functor, {.states = 4,
                                                          .name = description.name,
                                                          .state_names = description.state_names})
                                       .with_contacts({end_of_slot("right", 1), end_of_slot("left", -1)}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 10,
                         .state = values.state(Eigen::Vector4d(0.2, 0, 0.3, 0))};
  };
  return model;
}

}  // namespace slideway::models
