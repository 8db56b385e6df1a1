#include "models/billiard.hpp"

#include <cmath>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

namespace {

// A wall across the axis of state `axis`, on the side of its sign.
Contact wall(const std::string& name, Index axis, double sign, double a, double e) {
  Contact contact;
  contact.name = name;
  contact.gap = Guard([axis, sign, a](auto /*t*/, const auto& x) { return a - sign * x[axis]; });
  contact.acts_on = [axis, sign](double, ConstVectorRef, VectorRef b) { b[2 + axis] = -sign; };
  contact.restitution = [e](double) { return e; };
  return contact;
}

Contact disc(double r, double e) {
  Contact contact;
  contact.name = "disc";
  contact.gap = Guard([r](auto /*t*/, const auto& x) {
    using std::sqrt;
    return sqrt(x[0] * x[0] + x[1] * x[1]) - r;
  });
  contact.acts_on = [](double, ConstVectorRef x, VectorRef b) {
    const double distance = std::hypot(x[0], x[1]);
    b[2] = x[0] / distance;
    b[3] = x[1] / distance;
  };
  contact.restitution = [e](double) { return e; };
  return contact;
}

}  // namespace

Model billiard() {
  Model model;
  model.name = "billiard";
  model.summary = "a point in a square is reflected by the walls and by a disc: Sinai's billiard";
  model.source = "Ya. G. Sinai, Russian Math. Surveys 25(2), 1970";
  model.equations = {
      "x' = u",
      "y' = v",
      "u' = left - right + disc*x/sqrt(x^2 + y^2)",
      "v' = bottom - top + disc*y/sqrt(x^2 + y^2)",
      "contacts right, left: a - x >= 0, a + x >= 0; top, bottom: a - y >= 0, a + y >= 0",
      "contact disc: sqrt(x^2 + y^2) - r >= 0; all with restitution e",
  };
  model.parameters = {
      {"a", 1, "half the side of the square"},
      {"r", 0.4, "radius of the disc"},
      {"e", 1, "restitution"},
  };
  model.state_names = {"x", "y", "u", "v"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("a", "the point needs room");
    values.require_positive("r", "a disc of no size has no normal");
    values.require_from_zero_to_one("e", "a reflection does not add energy");
    const double a = values["a"];
    const double e = values["e"];
    return ModelInstance{
        .system =
            from_functor(FreePoint{},
                         {.states = 4, .name = description.name, .state_names = description.state_names})
                .with_contacts({wall("right", 0, 1, a, e), wall("left", 0, -1, a, e), wall("top", 1, 1, a, e),
                                wall("bottom", 1, -1, a, e), disc(values["r"], e)}),
        .parameters = values.parameters(),
        .start = 0,
        .end = 10,
        .state = values.state(Eigen::Vector4d(-0.8, -0.3, 0.8, 0.6))};
  };
  return model;
}

}  // namespace slideway::models
