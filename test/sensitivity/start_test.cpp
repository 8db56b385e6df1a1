// Derivatives of runs that begin exactly where their field jumps: on each side they are those of the neighbours there.
#include <Eigen/QR>
#include <optional>

#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// The state at the end of a run at rtol 1e-12 whose start is moved.
Vector end_of(const Differentiated& run, const Vector& start, Ambiguity policy = Ambiguity::stop) {
  Options options;
  options.rtol = 1e-12;
  options.atol = 1e-14;
  options.on_ambiguity = policy;
  const Solution solution = Simulator(run.instance.problem(), options)
                                .run({.start = run.instance.start, .end = run.instance.end, .state = start});
  REQUIRE(solution.outcome.succeeded());
  return solution.final.state;
}

// The derivatives of the final state towards either side by differences of runs, extrapolated from three steps.
Matrix towards(const Differentiated& run, double side) {
  const Vector start = run.instance.state;
  const Vector here = end_of(run, start);
  Matrix result(start.size(), start.size());
  for (Index j = 0; j < start.size(); ++j) {
    const auto slope = [&](double step) -> Vector {
      Vector moved = start;
      moved[j] += side * step;
      return (end_of(run, moved) - here) / (side * step);
    };
    const Vector near = slope(1e-4), middle = slope(2e-4), far = slope(4e-4);
    result.col(j) = (8 * near - 6 * middle + far) / 3;
  }
  return result;
}

// All derivatives by the initial values are those of neighbours, which go on from the start as the run's own do.
void check_sides(const std::string& text, const std::vector<std::string>& states) {
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(rtol);
    const Differentiated run = differentiated(text, states, rtol);
    REQUIRE(run.found().start());
    const EventSensitivity& start = *run.found().start();
    CHECK_FALSE(start.exists);
    CHECK(run.found().exists_until() == run.instance.start);
    const Index n = run.instance.state.size();
    CHECK(start.before.isApprox(Matrix::Identity(n, n)));
    REQUIRE(start.after_below.rows() == n);
    for (const double side : {-1.0, 1.0}) {
      CAPTURE(side);
      const Matrix expected = towards(run, side);
      // final() is P·after, with the propagator P of the run. Both sides lie in the range of `after`, so that P is known on them.
      const Matrix got = run.found().final() * start.after.completeOrthogonalDecomposition().solve(
                                                   side < 0 ? start.after_below : start.after_above);
      CAPTURE(expected);
      CAPTURE(got);
      CHECK((got - expected).cwiseAbs().maxCoeff() <=
            10 * std::max(rtol, 1e-8) * std::max(1.0, expected.cwiseAbs().maxCoeff()));
    }
  }
}

}  // namespace

TEST_CASE("a run that begins on a surface that it crosses has one derivative on each side") {
  const char* const text = R"TOML(
[parameters]
p = 2.0
c = 0.0
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "if(x > c, p, 1)"
)TOML";
  const Differentiated run = differentiated(text, {"x", "c", "p"}, 1e-8);
  REQUIRE(run.found().start());
  const EventSensitivity& start = *run.found().start();
  // A start at -ε comes to the surface after ε, and is at 2 (1 - ε) at the end.
  run.expect(start.after_below(0, 0), 2);
  run.expect(start.after_above(0, 0), 1);
  // A surface at ε is met after ε, a surface at -ε never.
  run.expect(start.after_above(0, 1), -1);
  run.expect(start.after_below(0, 1), 0);
  run.expect(start.after_above(0, 2), 0);
  run.expect(start.after_below(0, 2), 0);
  CHECK(start.reason.find("begins on a surface") != std::string::npos);
}

TEST_CASE("one-sided derivatives at a start on a curved surface are those of neighbours") {
  check_sides(R"TOML(
[states]
x = 1.0
y = 0.5
[time]
end = 2.0
[surfaces]
edge = "x^2 + y - 1.5"
[derivatives]
x = "0.7 - 0.1*x*y + if(edge > 0, 0.5*y, 0.3*x)"
y = "-0.2*y + if(edge > 0, 0.4, 1)*x + 0.3*cos(t)"
)TOML",
              {"x", "y"});
}

TEST_CASE("one-sided derivatives at a start on a surface that moves are those of neighbours") {
  check_sides(R"TOML(
[states]
x = 1.0
v = -0.4
[time]
end = 1.5
[surfaces]
edge = "x - cos(t) + 0.8*t"
[derivatives]
x = "v"
v = "-x + if(edge > 0, 2, -1)"
)TOML",
              {"x", "v"});
}

TEST_CASE("neighbours of a start in a corner cross two surfaces, in the order of their own") {
  check_sides(R"TOML(
[states]
x = 0.0
y = 0.0
[time]
end = 1.0
[derivatives]
x = "1 + 0.3*sgn(y) - 0.2*sgn(x) + 0.1*y"
y = "0.8 + 0.25*sgn(x) + 0.1*sgn(x)*sgn(y) - 0.2*x"
)TOML",
              {"x", "y"});
}

TEST_CASE("neighbours of a start in a corner cross a surface and then slide along the other one") {
  check_sides(R"TOML(
[states]
x = 0.0
y = 0.0
z = 0.3
[time]
end = 1.0
[derivatives]
x = "1 + 0.3*sgn(y) - 0.2*sgn(x)"
y = "0.3*z - sgn(y) + 0.2*sgn(x)"
z = "1 + x*y + 0.5*sgn(y) + 0.2*sgn(x)"
)TOML",
              {"x", "y", "z"});
}

TEST_CASE("a run that begins on an attracting surface has one derivative, from both sides") {
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    const Differentiated run = differentiated(R"TOML(
[states]
x = 0.0
y = 1.0
[time]
end = 1.0
[derivatives]
x = "y - 3*sgn(x)"
y = "-y + 0.4*sgn(x) + x"
)TOML",
                                              {"x", "y"}, rtol);
    CHECK_FALSE(run.found().start());
    CHECK(std::isinf(run.found().exists_until()));
    for (const double side : {-1.0, 1.0}) {
      const Matrix expected = towards(run, side);
      CHECK((run.found().final() - expected).cwiseAbs().maxCoeff() <= 10 * std::max(rtol, 1e-8));
    }
  }
}

TEST_CASE("a run that begins on a repelling surface has no derivative on either side") {
  Options options;
  options.on_ambiguity = Ambiguity::plus;
  const Differentiated run = differentiated(R"TOML(
[states]
x = 0.0
[time]
end = 1.0
[options]
on_ambiguity = "plus"
[derivatives]
x = "sgn(x)"
)TOML",
                                            {"x"}, 1e-8, options);
  REQUIRE(run.found().start());
  CHECK_FALSE(run.found().start()->exists);
  CHECK(run.found().start()->after_below.size() == 0);
}

TEST_CASE("a start where an edge fires has a derivative before the edge, and one behind it") {
  const char* const text = R"TOML(
initial = "one"
[parameters]
p = 3.0
[states]
x = 0.0
y = 1.0
[time]
end = 1.0
[derivatives]
x = "1"
y = "0.5"
[[locations]]
name = "one"
[[locations]]
name = "two"
[locations.derivatives]
x = "p"
y = "-y"
[[edges]]
name = "leave"
from = "one"
to = "two"
when = "x"
direction = "rising"
set = { y = "y^2 + t" }
)TOML";
  const Differentiated run = differentiated(text, {"x", "y"}, 1e-8);
  REQUIRE(run.found().start());
  const EventSensitivity& start = *run.found().start();
  REQUIRE(start.after_below.size() == 4);
  run.expect(start.after_below(0, 0), 3);
  run.expect(start.after_above(0, 0), 1);
  // From -ε on the edge comes after ε: y is (1 + 0.5 ε)² + ε then, and falls no longer for ε.
  run.expect(start.after_below(1, 0), -(1 + 1 + 1));
  run.expect(start.after_above(1, 0), 0);
  run.expect(start.after_below(1, 1), 2);
  run.expect(start.after_above(1, 1), 2);
  run.expect(start.time_below(0), -1);
  run.expect(start.time_above(0), 0);
  CHECK(std::isnan(start.time(0)));
  CHECK(start.time(1) == 0);
}

TEST_CASE("a start where a reset fires has a derivative before it alone") {
  const char* const text = R"TOML(
[states]
x = 0.0
v = -2.0
[time]
end = 0.3
[derivatives]
x = "v"
v = "-9.8"
[[resets]]
name = "bounce"
when = "x"
direction = "falling"
set = { v = "-0.5*v" }
)TOML";
  const Differentiated run = differentiated(text, {"x", "v"}, 1e-8);
  REQUIRE(run.found().start());
  const EventSensitivity& start = *run.found().start();
  REQUIRE(start.after_above.size() == 4);
  // A ball from ε falls for ε/2, at whose end v is -2 - 9.8 ε/2; then it rises at 1 from zero, since ε/2 ago.
  run.expect(start.after_above(0, 0), -0.5);
  run.expect(start.after_above(1, 0), 0.5 * 4.9 + 4.9);
  CHECK(std::isnan(start.after_below(0, 0)));
  run.expect(start.after_below(1, 1), -0.5);
  run.expect(start.after_above(1, 1), -0.5);
}
