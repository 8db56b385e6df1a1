// Branches of periodic orbits, and bifurcations on them that have closed forms.
#include "slideway/orbit/orbit_branch.hpp"
#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

OrbitFamily family_of(const std::string& text, const std::string& parameter) {
  return {.problem = [=](double value) { return instance_of(text, {{parameter, value}}).problem(); }};
}

void require_bifurcation(const OrbitBranch& branch, Bifurcation kind, double parameter, double allowed) {
  CAPTURE(branch.message);
  for (const BranchBifurcation& found : branch.bifurcations)
    if (found.kind == kind && std::abs(found.parameter - parameter) <= allowed) return;
  FAIL("no such bifurcation");
}

// r' = r (p + 2 r^2 - r^4), phase' = 1: circles with p = r^4 - 2 r^2, which turn at r = 1, p = -1.
const char* const circles = R"TOML(
[parameters]
p = 0.2
[states]
x = 1.48
y = 0.0
[time]
end = 1.0
[derivatives]
x = "x*(p + 2*(x^2 + y^2) - (x^2 + y^2)^2) - y"
y = "y*(p + 2*(x^2 + y^2) - (x^2 + y^2)^2) + x"
)TOML";

}  // namespace

TEST_CASE("a branch is followed round its fold") {
  const ModelInstance instance = instance_of(circles);
  // From p = 0.2 down to p = -2, which it does not reach: it turns and comes back.
  const OrbitBranch branch =
      follow_periodic_orbit(family_of(circles, "p"), {.period = 6.0, .state = instance.state},
                            {.first = 0.2, .last = -2, .points = 23, .most_points = 80});
  CHECK_FALSE(branch.complete);
  double smallest = 2;
  for (const BranchPoint& point : branch.points) {
    const double r2 = point.orbit.state.squaredNorm();
    CHECK(std::abs(r2 * r2 - 2 * r2 - point.parameter) <= 1e-7);
    CHECK(point.orbit.stability == (r2 > 1 ? OrbitStability::stable : OrbitStability::unstable));
    smallest = std::min(smallest, r2);
  }
  CHECK(smallest < 0.7);
  require_bifurcation(branch, Bifurcation::fold, -1, 1e-7);
}

TEST_CASE("a ball on a vibrating table doubles its period on the branch") {
  const double w = 60, e = 0.5, g = 9.81;
  const double c = kPi * (1 - e) / (1 + e), s = 2 * (1 + e * e) / ((1 + e) * (1 + e));
  const double doubling = g / (w * w) * std::sqrt(c * c + s * s);
  const std::string text = R"TOML(
[parameters]
a = 0.0035
[states]
x = 0.02
v = 0.6
[time]
end = 1.0
[derivatives]
x = "v"
v = "-9.81"
[[contacts]]
name = "table"
gap = "x - a*sin(60*t)"
acts_on = { v = "1" }
restitution = "0.5"
)TOML";
  OrbitFamily family = family_of(text, "a");
  family.period = [=](double) { return 2 * kPi / w; };
  const double a = 0.0035;
  const double phase = std::acos(g * c / (a * w * w));
  const double period = 2 * kPi / w, speed = 0.5 * g * period, t = period - phase / w;
  const Vector state{{a * std::sin(phase) + speed * t - 0.5 * g * t * t, speed - g * t}};
  const OrbitBranch branch = follow_periodic_orbit(family, {.period = period, .state = state},
                                                   {.first = a, .last = 0.006, .points = 11});
  CAPTURE(branch.message);
  CHECK(branch.complete);
  require_bifurcation(branch, Bifurcation::period_doubling, doubling, 1e-10);
  for (const BranchPoint& point : branch.points)
    CHECK(std::abs(std::cos(w * point.orbit.solution.events.front().t) - g * c / (point.parameter * w * w)) <=
          1e-8);
}

TEST_CASE("an orbit that comes to touch a surface grazes it at the closed form") {
  // A circle of radius 1 about (p, 0); beyond x = 2 the relay switches nothing but a small force.
  const std::string text = R"TOML(
[parameters]
p = 0.5
[states]
x = 1.4
y = 0.0
[time]
end = 1.0
[definitions]
r2 = "(x - p)^2 + y^2"
[surfaces]
edge = "x - 2"
[derivatives]
x = "(x - p)*(1 - r2) - y"
y = "y*(1 - r2) + (x - p) + 0.1*(1 + sgn(edge))*(x - 2)"
)TOML";
  const OrbitBranch branch =
      follow_periodic_orbit(family_of(text, "p"), {.period = 6.2, .state = Vector{{-0.5, 0.0}}},
                            {.first = 0.5, .last = 1.5, .points = 8});
  CAPTURE(branch.message);
  CHECK(branch.complete);
  require_bifurcation(branch, Bifurcation::grazing, 1, 1e-9);
  CHECK(branch.points.back().orbit.signature == "crossing(edge) crossing(edge)");
}

TEST_CASE("a driven block begins to stick where its acceleration vanishes at the turning point") {
  const double w = 1.3;
  const double v = 1 / (1 - w * w), c = std::cos(kPi / w), s = std::sin(kPi / w);
  const double u = s / (w * v * (1 + c));
  const double sticks = std::abs(1 - v) / std::sqrt(1 + (1 - v) * (1 - v) * u * u);
  const auto instance = [=](double mu) {
    return gallery_instance("dry_friction", {{"mu", mu}, {"w", w}, {"x", 1.0}});
  };
  const OrbitFamily family{.problem = [=](double mu) { return instance(mu).problem(); },
                           .period = [=](double) { return 2 * kPi / w; }};
  const OrbitGuess guess =
      guess_after(Simulator(instance(0.3).problem()),
                  {.start = 0, .end = 80 * kPi / w, .state = instance(0.3).state}, 2 * kPi / w);
  const OrbitBranch branch = follow_periodic_orbit(family, guess, {.first = 0.3, .last = 0.75, .points = 10});
  CAPTURE(branch.message);
  CHECK(branch.complete);
  require_bifurcation(branch, Bifurcation::crossing_sliding, sticks, 1e-9);
  CHECK(count_of(branch.points.back().orbit, MultiplierKind::exact_zero) == 1);
}

TEST_CASE("a limit cycle of a piecewise linear field shrinks linearly to its boundary equilibrium") {
  // With p - 0.3 for the unit of length all cycles are the same one, beside an unstable focus at x = 1 + (p - 0.3).
  const std::string text = R"TOML(
[parameters]
p = 1.3
[states]
x = 1.0
y = 3.0
[time]
end = 300.0
[surfaces]
side = "x - 1"
[derivatives]
x = "if(side > 0, 0.4*(x - 1), -0.8*(x - 1)) - (y - 2)"
y = "x - 1 - (p - 0.3)"
)TOML";
  const ModelInstance instance = instance_of(text);
  const OrbitGuess guess =
      guess_at_section(Simulator(instance.problem(), {.rtol = 1e-9}),
                       {.start = 0, .end = 300, .state = instance.state}, {.name = "side"}, 1);
  const OrbitBranch branch =
      follow_periodic_orbit(family_of(text, "p"), guess, {.first = 1.3, .last = -0.2, .points = 11});
  CAPTURE(branch.message);
  CHECK_FALSE(branch.complete);
  REQUIRE(branch.bifurcations.size() == 1);
  CHECK(branch.bifurcations.front().kind == Bifurcation::boundary_equilibrium);
  CHECK(std::abs(branch.bifurcations.front().parameter - 0.3) <= 1e-13);
  CHECK(branch.message.find("BE") != std::string::npos);
}

TEST_CASE("a cycle shrinks to a focus that comes to a surface, from which a constant field leads back") {
  // At p = 0 the focus (3 + p, 2) is on the surface x = 3; the cycle round it is as large as p to first order.
  const std::string text = R"TOML(
[parameters]
p = 1.0
[states]
x = 3.0
y = 3.0
[time]
end = 1.0
[surfaces]
edge = "x - 3"
[derivatives]
x = "0.5*(1 + sgn(edge))*(0.2*(x - 3 - p) - (y - 2)) + 0.5*(1 - sgn(edge))"
y = "0.5*(1 + sgn(edge))*((x - 3 - p) + 0.2*(y - 2))"
)TOML";
  const ModelInstance instance = instance_of(text);
  const OrbitGuess guess = guess_at_section(Simulator(instance.problem(), {.rtol = 1e-9}),
                                            {.start = 0, .end = 200, .state = instance.state},
                                            {.name = "edge", .direction = SectionDirection::falling});
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const OrbitBranch branch =
        follow_periodic_orbit(family_of(text, "p"), guess,
                              {.orbit = {.run = {.rtol = rtol}}, .first = 1, .last = -0.5, .points = 16});
    CAPTURE(branch.message);
    CHECK_FALSE(branch.complete);
    REQUIRE(branch.bifurcations.size() == 1);
    CHECK(branch.bifurcations.front().kind == Bifurcation::boundary_equilibrium);
    CHECK(std::abs(branch.bifurcations.front().parameter) <= 1e-12);
  }
}
