// Derivatives by parameters at the ends of what they may be: they are those from inside.
#include <stdexcept>

#include "slideway/model/from_functor.hpp"
#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double gravity = 9.81;

// The height of a ball that falls from 1, after its second impact, has this derivative by the restitution e.
double height_by_restitution(double e, double end) {
  const double t1 = std::sqrt(2 / gravity), v1 = gravity * t1, flown = end - t1 - 2 * e * v1 / gravity;
  return 2 * e * v1 * flown + (gravity * flown - e * e * v1) * 2 * v1 / gravity;
}

// A ball whose restitution must be in [0, 1].
ModelInstance ball(double e) {
  if (!(e >= 0 && e <= 1)) throw std::invalid_argument("e is out of range");
  Contact floor;
  floor.name = "floor";
  floor.gap = Guard([](auto, const auto& x) { return x[0]; });
  floor.acts_on = [](double, ConstVectorRef, VectorRef b) { b[1] = 1; };
  floor.restitution = [e](double) { return e; };
  const System system = from_functor(
                            [](auto, const auto& x, const auto&, auto&& dx) {
                              dx[0] = x[1];
                              dx[1] = -gravity;
                            },
                            [](auto, const auto& x, auto&& h) { h[0] = x[0] + 1e3; },
                            {.states = 2, .surfaces = 1, .state_names = {"y", "v"}})
                            .with_contacts({floor});
  return {system, {{"e", e}}, 0, 2, Eigen::Vector2d{1, 0}, std::nullopt, {}};
}

}  // namespace

TEST_CASE("a restitution of 1 has the derivative from below") {
  at_all_tolerances(R"TOML(
[parameters]
e = 1.0
g = 9.81
[states]
y = 1.0
v = 0.0
[time]
end = 2.0
[derivatives]
y = "v"
v = "-g"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { v = "1" }
restitution = "e"
)TOML",
                    {"e"}, [](const Differentiated& run) {
                      REQUIRE(run.solution.events.size() == 2);
                      CHECK(run.found().reason() == "");
                      run.expect(run.end("y", "e"), height_by_restitution(1, 2));
                      run.expect(run.time(1, "e"), 2 * std::sqrt(2 / 9.81));
                    });
}

TEST_CASE("a restitution of 0 has the derivative from above") {
  // At a wall without a force that presses: behind it the body has the speed −e.
  at_all_tolerances(R"TOML(
[parameters]
e = 0.0
[states]
x = 0.0
v = 1.0
[time]
end = 3.0
[derivatives]
x = "v"
v = "0"
[[contacts]]
name = "wall"
gap = "1 - x"
acts_on = { v = "-1" }
restitution = "e"
)TOML",
                    {"e"}, [](const Differentiated& run) {
                      run.expect(run.end("v", "e"), -1);
                      run.expect(run.end("x", "e"), -2);
                    });
}

TEST_CASE("a functor that refuses parameters beyond their bounds is differentiated from inside") {
  Model model;
  model.name = "ball";
  model.parameters = {{"e", 1, ""}};
  model.state_names = {"y", "v"};
  model.instantiate = [](const Settings& settings) {
    return ball(settings.empty() ? 1 : settings.back().second);
  };
  const ModelInstance instance = ball(1);
  Options options;
  options.rtol = 1e-9;
  options.atol = 1e-11;
  options.sensitivities = sensitivities_by(model, {}, instance, {"e"});
  const Solution solution =
      Simulator(instance.problem(), options).run({.start = 0, .end = 2, .state = instance.state});
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.sensitivities->reason() == "");
  CHECK(solution.sensitivities->final()(0, 0) == doctest::Approx(height_by_restitution(1, 2)).epsilon(1e-6));
}
