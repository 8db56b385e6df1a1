// States that nothing moves keep their bits: discrete states and memories beside surfaces and contacts, and what sticks.
#include <cmath>
#include <numbers>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

const std::string belt = R"toml(
[states]
x = 0.0
v = 0.3
run = 0.0
[discrete]
belt = 0.0
[time]
end = 5.0
[derivatives]
x = "v"
v = "-2*x - 0.8*sgn(v - belt)"
run = "if(belt > 0 or belt < 0, 1, 0)"
[[every]]
at = [3]
set = { belt = "1" }
)toml";

// `state` is `value` to the bit at a hundred places of the part of the trajectory until t.
void check_bits(const Finished& finished, Index state, double value, double until) {
  for (int k = 0; k < 100; ++k) {
    const double t = until * k / 100;
    CAPTURE(t);
    CHECK(finished.solution.trajectory(t)(state) == value);
  }
}

}  // namespace

TEST_CASE("a discrete set point in a sliding surface is not moved") {
  const std::string text = R"toml(
[states]
x = -1.0
y = 0.0
[discrete]
m = 0.0
[time]
end = 1.9
[derivatives]
x = "cos(t) - 3*sgn(x + y - m)"
y = "if(m == 0, 0.3, -5)"
[[every]]
at = [2.0]
set = { m = "m + 1" }
)toml";
  for_all_methods(text, {1e-4, 1e-6, 1e-9, 1e-12}, [](const Finished& finished, double) {
    CHECK(finished.end(0) == doctest::Approx(-0.57).epsilon(1e-13));
    CHECK(finished.end(1) == doctest::Approx(0.57).epsilon(1e-13));
    check_bits(finished, 2, 0.0, 1.9);
  });
}

TEST_CASE("set points of many surfaces, shared and in products, keep their bits") {
  // Each x follows m until it meets its surface, and slides there; the product of states is no affine guard.
  const std::string text = R"toml(
[states]
x = { size = 6, value = "1 + i" }
y = 0.0
[discrete]
m = 3.0
k = 2.0
[time]
end = 12.0
[derivatives]
x = "cos(t) - 3*sgn(k*x[i] + if(i > 3, 0.01, 0)*x[i]*abs(x[i]) - m)"
y = "if(m == 3 and k == 2, 1, -5)"
)toml";
  for_all_methods(text, {1e-4, 1e-7, 1e-10}, [](const Finished& finished, double) {
    CHECK(finished.end(6) == doctest::Approx(12).epsilon(1e-12));
    check_bits(finished, 7, 3.0, 12);
    check_bits(finished, 8, 2.0, 12);
    CHECK(finished.end(0) == doctest::Approx(1.5).epsilon(1e-14));
  });
}

TEST_CASE("memories of square waves in a sliding surface are not moved") {
  const std::string text = R"toml(
[states]
x = 0.0
y = 0.0
[time]
end = 3.0
[derivatives]
x = "cos(t) - 3*sgn(x + y - square(pi*t/4))"
y = "0.3"
)toml";
  for_all_methods(text, {1e-4, 1e-6, 1e-9}, [](const Finished& finished, double) {
    CHECK(finished.end(0) == doctest::Approx(0.1).epsilon(1e-12));
    CHECK(finished.end(1) == doctest::Approx(0.9).epsilon(1e-12));
  });
}

TEST_CASE("a belt that stands still runs no counter, whichever way its block slips and sticks") {
  for_all_methods(belt, {1e-4, 1e-6, 1e-9}, [](const Finished& finished, double) {
    CHECK(finished.end(2) == doctest::Approx(2).epsilon(1e-12));
    check_bits(finished, 3, 0.0, 3);
  });
}

TEST_CASE("a ball that rests on a lift leaves the lift where it is") {
  const std::string text = R"toml(
[states]
x = 1.0
v = 0.0
y = 0.0
[discrete]
floor_height = 0.0
[time]
end = 2.0
[derivatives]
x = "v"
v = "-9.81"
y = "if(floor_height > 0, 100, if(floor_height < 0, -100, 1))"
[[contacts]]
name = "floor"
gap = "x - floor_height"
acts_on = { v = "1" }
restitution = 0.5
)toml";
  for_all_methods(text, {1e-4, 1e-6, 1e-9}, [](const Finished& finished, double) {
    CHECK(std::abs(finished.end(0)) <= 1e-12);
    CHECK(finished.end(2) == doctest::Approx(2).epsilon(1e-12));
    check_bits(finished, 3, 0.0, 2);
  });
}

TEST_CASE("a block that sticks has no speed, and stands to the bit") {
  // It is pushed for 1,000 s by less than it resists, beside a mass that swings.
  const std::string text = R"toml(
[states]
x = 0.1
v = 1.0
q = 1.0
p = 0.0
[time]
end = 1000.0
[derivatives]
x = "v"
v = "0.4*sin(3*t) - 0.3*x - sgn(0.7*v)"
q = "p"
p = "-q + x"
)toml";
  for_all_methods(text, {1e-4, 1e-6, 1e-8}, [](const Finished& finished, double) {
    const Trajectory& way = finished.solution.trajectory;
    const double stands = way(10.0)(0);
    CHECK(std::abs(stands) > 0.1);
    for (double t = 10; t <= 1000; t += 9.9) {
      CAPTURE(t);
      CHECK(way(t)(0) == stands);
      CHECK(way(t)(1) == 0.0);
    }
    CHECK(finished.end(0) == stands);
    CHECK(finished.end(1) == 0.0);
  });
}

TEST_CASE("a run goes on in a mode that an input has made impossible since") {
  const std::string text = R"toml(
[states]
x = 0.0
v = 0.0
[discrete]
push = 0.0
[time]
end = 1.0
[derivatives]
x = "v"
v = "push - sgn(v)"
)toml";
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  for (const Method method : {Method::automatic, Method::dopri5, Method::bdf, Method::rodas}) {
    Options options;
    options.method = method;
    const Simulator simulator(instance.problem(), options);
    const auto go_on = [&](double push, const std::string& mode) {
      return simulator.run({.start = 0, .end = 1, .state = Eigen::Vector3d{0, 0, push}, .mode = Mode(mode)});
    };
    for (const double sign : {1.0, -1.0}) {
      // v' = push - 1 from rest.
      Solution solution = go_on(3 * sign, "0");
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.reached_end());
      // Formulas of any order are exact for v, and those of order two and more for x = t². BDF begins at order one.
      CHECK(std::abs(solution.final.state[1] - 2 * sign) <= 1e-13);
      CHECK(std::abs(solution.final.state[0] - sign) <= (method == Method::bdf ? 0.1 * options.rtol : 1e-13));
      // It slipped, and now sticks.
      solution = go_on(0.5 * sign, sign > 0 ? "+" : "-");
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.reached_end());
      CHECK(solution.final.state[1] == 0.0);
      CHECK(solution.final.state[0] == 0.0);
      // It slips the other way.
      solution = go_on(3 * sign, sign > 0 ? "-" : "+");
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.reached_end());
      CHECK(std::abs(solution.final.state[1] - 2 * sign) <= 1e-13);
    }
    // What holds goes on without an event.
    const Solution solution = go_on(0.5, "0");
    CHECK(solution.events.empty());
    CHECK(solution.final.state[1] == 0.0);
  }
}

TEST_CASE("a guard that is zero nearer to the origin than the tolerances is told") {
  const auto warnings = [](const std::string& eps, double rtol) {
    const std::string text =
        "[states]\nR = 1.0\ny = 0.0\n[time]\nend = 3.0\n[derivatives]\nR = \"-R\"\ny = \"if(R < " + eps +
        ", 1, 0)\"\n";
    std::size_t found = 0;
    for (const std::string& warning : run(text, Method::automatic, rtol).solution.warnings)
      found += warning.find("from the origin, and the absolute tolerances") != std::string::npos ? 1 : 0;
    return found;
  };
  CHECK(warnings("5e-10", 1e-6) == 1);
  CHECK(warnings("5e-10", 1e-10) == 0);
  CHECK(warnings("0.5", 1e-6) == 0);
  CHECK(warnings("0", 1e-6) == 0);
  CHECK(warnings("0.1 + 0.2 - 0.3", 1e-6) == 0);
}

TEST_CASE("a run whose states are all below their absolute tolerances is told which would do") {
  const auto told = [](const std::string& start, const std::string& rate) {
    const std::string text =
        "[states]\nT = " + start + "\n[time]\nend = 1.0\n[derivatives]\nT = \"" + rate + "\"\n";
    for (const std::string& warning : run(text, Method::automatic, 1e-6).solution.warnings)
      if (warning.find("no state comes to its absolute tolerance: 'T'") != std::string::npos) return true;
    return false;
  };
  CHECK(told("3e-13", "-T"));
  CHECK(told("0.0", "2e-13"));
  CHECK_FALSE(told("1.0", "-T"));
  CHECK_FALSE(told("0.0", "0"));
  CHECK_FALSE(told("0.0", "1e-20*cos(t)"));
}
