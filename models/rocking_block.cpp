#include "models/rocking_block.hpp"

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Standing {
  void field(auto /*t*/, const auto& /*x*/, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = 0.0;
    dx[1] = 0.0;
  }
};

std::vector<Edge> edges(const RockingBlock& block) {
  const double rebound = 1 - 1.5 * std::pow(std::sin(block.alpha), 2);
  const Guard tilt([](auto /*t*/, const auto& x) { return x[0]; });
  const ResetFunction impact = [rebound](double, ConstVectorRef before, VectorRef after) {
    after[0] = 0;
    after[1] = rebound * before[1];
  };
  // Positive where the ground throws a block that stands to the side where q·side > 0.
  const auto throws = [&](double side) {
    return Guard([A = block.A, w = block.w, most = std::tan(block.alpha), side](auto t, const auto&) {
      using std::cos;
      return -side * A * cos(w * t) - most;
    });
  };
  return {
      {"to the left", "right", "left", tilt, Direction::falling, impact, "standing"},
      {"to the right", "left", "right", tilt, Direction::rising, impact, "standing"},
      {"thrown to the right", "standing", "right", throws(1), Direction::rising, {}, ""},
      {"thrown to the left", "standing", "left", throws(-1), Direction::rising, {}, ""},
  };
}

// The equations end where the block lies on its side.
Event overturns() {
  Event event;
  event.name = "overturned";
  event.when = Guard([](auto /*t*/, const auto& x) { return x[0] * x[0] - 0.25 * kPi * kPi; });
  event.direction = Direction::rising;
  event.action = Action::stop;
  return event;
}

}  // namespace

Model rocking_block() {
  Model model;
  model.name = "rocking-block";
  model.summary = "a tilted block rocks from edge to edge, ever faster, until it stands";
  model.source = "G. W. Housner, Bull. Seismol. Soc. Am. 53(2), 1963";
  model.equations = {
      "q' = w_q",
      "w_q' = -p^2*(sin(s*alpha - q) + A*cos(w*t)*cos(s*alpha - q)),  p^2 = 3*g/(4*R),  s = 1 in location "
      "right, "
      "-1 in location left",
      "q' = w_q' = 0   in location standing",
      "edge right -> left: q falling, set q = 0, w_q = (1 - 1.5*sin(alpha)^2)*w_q, zeno standing",
      "edge left -> right: q rising, the same",
      "edge standing -> right: -A*cos(w*t) - tan(alpha) rising",
      "edge standing -> left: A*cos(w*t) - tan(alpha) rising",
      "stop overturned: |q| = pi/2",
  };
  model.parameters = {
      {"g", 9.81, "acceleration of fall"},
      {"R", 1, "half the diagonal of the block"},
      {"alpha", 0.25, "angle between the diagonal and the upright"},
      {"A", 0, "amplitude of the ground's acceleration, over g"},
      {"w", 3, "frequency of the ground"},
  };
  model.state_names = {"q", "w_q"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("g", "nothing would set the block upright");
    values.require_positive("R", "p^2 is 3*g/(4*R)");
    values.require_positive("alpha", "the block would have no width");
    const auto block = [&](double side) {
      return RockingBlock{.side = side,
                          .p = std::sqrt(0.75 * values["g"] / values["R"]),
                          .alpha = values["alpha"],
                          .A = values["A"],
                          .w = values["w"]};
    };
    const Dimensions dimensions{
        .states = 2, .name = description.name, .state_names = description.state_names};
    const System right = from_functor(block(1), dimensions).with_events({overturns()});
    const Vector state = values.state(Eigen::Vector2d(0.8 * values["alpha"], 0));
    const std::string initial = state[0] < 0 ? "left" : "right";
    const System left = from_functor(block(-1), dimensions).with_events({overturns()});
    return ModelInstance{
        .system = state[0] < 0 ? left : right,
        .parameters = values.parameters(),
        .start = 0,
        .end = 15,
        .state = state,
        .automaton =
            Automaton({{"right", right}, {"left", left}, {"standing", from_functor(Standing{}, dimensions)}},
                      edges(block(1)), initial)};
  };
  return model;
}

}  // namespace slideway::models
