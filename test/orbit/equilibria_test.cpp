// Equilibria and pseudo-equilibria with closed forms.
#include "slideway/orbit/equilibria.hpp"

#include <algorithm>
#include <numbers>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

Equilibria equilibria_of(const ModelInstance& instance, const EquilibriumOptions& options = {}) {
  return find_equilibria(instance.problem(),
                         {.start = instance.start, .end = instance.end, .state = instance.state}, options);
}

// The one equilibrium of this mode.
Equilibrium only_one(const Equilibria& equilibria, const std::string& mode) {
  std::vector<Equilibrium> matching;
  for (const Equilibrium& found : equilibria.found) {
    CAPTURE(found.mode.word());
    CAPTURE(found.state.transpose());
    if (found.mode.word() == mode) matching.push_back(found);
  }
  CAPTURE(mode);
  REQUIRE(matching.size() == 1);
  return matching.front();
}

void check_near(double got, double expected, double allowed = 1e-9) {
  CAPTURE(got);
  CAPTURE(expected);
  CHECK(std::abs(got - expected) <= allowed);
}

// x' is -x - 1 and w_minus below the line y = 0, and -x + 2 and w_plus above it.
const char* const kTwoFields = R"TOML(
[parameters]
w_minus = 1.0
w_plus = -1.0
rate = -1.0
size = 1.0
[states]
x = "3*size"
y = "size"
[time]
end = 10.0
[surfaces]
line = "y"
[derivatives]
x = "rate*x + size*(0.5 + 1.5*sgn(line))"
y = "size*(0.5*(w_plus + w_minus) + 0.5*(w_plus - w_minus)*sgn(line))"
)TOML";

}  // namespace

TEST_CASE("a pseudo-equilibrium is where the sliding field vanishes, in any unit") {
  for (const double size : {1.0, 1e-6, 1e6}) {
    const Equilibria found = equilibria_of(instance_of(kTwoFields, {{"size", size}}));
    CHECK(found.all_modes);
    CHECK(found.modes == 3);
    REQUIRE(found.found.size() == 1);
    const Equilibrium& pseudo = found.found.front();
    CHECK(pseudo.kind == EquilibriumKind::pseudo);
    CHECK(pseudo.admissible);
    CHECK(pseudo.attracting == true);
    CHECK(pseudo.stability == OrbitStability::stable);
    check_near(pseudo.state[0] / size, 0.5);
    check_near(pseudo.state[1] / size, 0);
    check_near(pseudo.lambda[0], 0);
    REQUIRE(pseudo.eigenvalues.size() == 1);
    check_near(pseudo.eigenvalues[0].real(), -1);
  }
}

TEST_CASE(
    "pseudo-equilibria repel where both fields leave the surface, and are saddles by their eigenvalue") {
  const Equilibrium repelling =
      only_one(equilibria_of(instance_of(kTwoFields, {{"w_minus", -1}, {"w_plus", 1}})), "0");
  CHECK(repelling.attracting == false);
  CHECK(repelling.stability == OrbitStability::unstable);
  const Equilibrium saddle = only_one(equilibria_of(instance_of(kTwoFields, {{"rate", 0.25}})), "0");
  CHECK(saddle.attracting == true);
  CHECK(saddle.stability == OrbitStability::unstable);
  check_near(saddle.state[0], -2);
  check_near(saddle.eigenvalues[0].real(), 0.25);
}

TEST_CASE(
    "a pseudo-equilibrium that needs more of its relay than there is, is virtual, and boundary at its end") {
  const Equilibrium beyond =
      only_one(equilibria_of(instance_of(kTwoFields, {{"w_minus", 2}, {"w_plus", 1}})), "0");
  CHECK_FALSE(beyond.admissible);
  CHECK(beyond.kind == EquilibriumKind::pseudo);
  CHECK(beyond.reason == "the relay of 'line' would have to be 3");
  check_near(beyond.lambda[0], 3);
  check_near(beyond.state[0], 5);
  const Equilibria at_end = equilibria_of(instance_of(kTwoFields, {{"w_plus", 0}}));
  CHECK(only_one(at_end, "0").kind == EquilibriumKind::boundary);
  check_near(only_one(at_end, "0").state[0], 2);
}

TEST_CASE("Chua's circuit has its three equilibria, and the eigenvalues of its linear pieces") {
  const Equilibria found = equilibria_of(gallery_instance("chua"));
  std::vector<double> places;
  for (const Equilibrium& equilibrium : found.found) {
    if (!equilibrium.admissible) continue;
    CHECK(equilibrium.kind == EquilibriumKind::regular);
    CHECK(equilibrium.stability == OrbitStability::unstable);
    CHECK(std::abs(equilibrium.state[1]) <= 1e-9);
    CHECK(std::abs(equilibrium.state[0] + equilibrium.state[2]) <= 1e-9);
    places.push_back(equilibrium.state[0]);
    // The trace of the piece: -alpha*(1 + m) - 1.
    std::complex<double> trace = 0;
    for (const std::complex<double>& value : equilibrium.eigenvalues) trace += value;
    const double slope = std::abs(equilibrium.state[0]) < 1 ? -8.0 / 7 : -5.0 / 7;
    check_near(trace.real(), -9 * (1 + slope) - 1, 1e-7);
  }
  std::sort(places.begin(), places.end());
  REQUIRE(places.size() == 3);
  check_near(places[0], -1.5);
  check_near(places[1], 0);
  check_near(places[2], 1.5);
}

TEST_CASE("a block at rest on a rough floor is one of a line of equilibria") {
  const Equilibria found = equilibria_of(instance_of(R"TOML(
[parameters]
mu = 0.4
[states]
x = 0.3
v = 0.0
[time]
end = 10.0
[surfaces]
slip = "v"
[derivatives]
x = "v"
v = "-x - mu*sgn(slip)"
)TOML"));
  const Equilibrium rest = only_one(found, "0");
  CHECK(rest.admissible);
  CHECK(rest.continuum == 1);
  CHECK(rest.attracting == true);
  CHECK(rest.stability == OrbitStability::neutral);
  check_near(rest.state[0] + 0.4 * rest.lambda[0], 0);
  REQUIRE(rest.eigenvalues.size() == 1);
  check_near(std::abs(rest.eigenvalues[0]), 0);
  // Each field's own equilibrium is on the surface.
  CHECK(only_one(found, "+").kind == EquilibriumKind::boundary);
  check_near(only_one(found, "+").state[0], -0.4);
  check_near(only_one(found, "-").state[0], 0.4);
}

TEST_CASE("two surfaces that are slid along at once hold a point") {
  const Equilibrium point = only_one(equilibria_of(instance_of(R"TOML(
[states]
x = 1.0
y = -1.0
[time]
end = 5.0
[surfaces]
first = "x"
second = "y"
[derivatives]
x = "0.3 - sgn(first)"
y = "-0.2 - sgn(second) + 0.1*sgn(first)"
)TOML")),
                                     "00");
  CHECK(point.admissible);
  CHECK(point.attracting == true);
  CHECK(point.stability == OrbitStability::stable);
  CHECK(point.eigenvalues.empty());
  check_near(point.lambda[0], 0.3);
  check_near(point.lambda[1], -0.17);
}

TEST_CASE("a mass on a floor carries its weight, and the mass on it keeps its eigenvalues") {
  const Equilibria found = equilibria_of(instance_of(R"TOML(
[parameters]
k = 9.0
c = 1.2
[states]
x1 = 0.1
v1 = 0.0
x2 = 1.5
v2 = 0.0
[time]
end = 2.0
[derivatives]
x1 = "v1"
v1 = "-1 + k*(x2 - x1 - 1) + c*(v2 - v1)"
x2 = "v2"
v2 = "-1 - k*(x2 - x1 - 1) - c*(v2 - v1)"
[[contacts]]
name = "floor"
gap = "x1"
acts_on = { v1 = "1" }
restitution = 0.0
)TOML"));
  const Equilibrium rest = only_one(found, "0");
  CHECK(rest.admissible);
  check_near(rest.forces[0], 2);
  check_near(rest.state[0], 0);
  check_near(rest.state[2], 1 - 1.0 / 9);
  CHECK(rest.stability == OrbitStability::stable);
  REQUIRE(rest.eigenvalues.size() == 2);
  check_near(rest.eigenvalues[0].real(), -0.6, 1e-7);
  check_near(std::abs(rest.eigenvalues[0].imag()), std::sqrt(9 - 0.36), 1e-7);
}

TEST_CASE("a thermostat has two equilibria, both beyond its thresholds") {
  const Equilibria found = equilibria_of(gallery_instance("thermostat"));
  REQUIRE(found.found.size() >= 2);
  for (const Equilibrium& equilibrium : found.found) {
    CAPTURE(equilibrium.location);
    CHECK_FALSE(equilibrium.admissible);
    CHECK(equilibrium.reason.find("fires there") != std::string::npos);
  }
}

TEST_CASE("equilibria are refused where the equations depend on time") {
  const ModelInstance driven = gallery_instance("dry_friction");
  CHECK_THROWS_WITH_AS(equilibria_of(driven), doctest::Contains("depend on time"), std::invalid_argument);
  const ModelInstance relays = instance_of(kTwoFields);
  CHECK_THROWS_AS(equilibria_of(relays, {.lower = Vector::Zero(1), .upper = Vector::Ones(1)}),
                  std::invalid_argument);
  CHECK_THROWS_AS(equilibria_of(relays, {.starts = -1}), std::invalid_argument);
}

TEST_CASE("a table has no modes that hold nowhere, and its equilibrium is listed once") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 0.3
[time]
end = 5.0
[tables]
f = { x = [-2.0, -1.0, 0.0, 1.0, 2.0], values = [3.0, 1.0, -1.0, -2.0, -4.0] }
[derivatives]
x = "f(x)"
)TOML");
  const Equilibria found =
      find_equilibria(instance.problem(), {.start = 0, .end = 5, .state = instance.state});
  CHECK(found.all_modes);
  CAPTURE(found.modes);
  for (const Equilibrium& one : found.found) CAPTURE(one.mode.word());
  Index admissible = 0;
  for (const Equilibrium& one : found.found) {
    if (!one.admissible) continue;
    ++admissible;
    CHECK(one.state[0] == doctest::Approx(-0.5));
  }
  CHECK(admissible == 1);
  // Of m knots that order the line, m + 1 stretches and m points have a region.
  const Index knots = instance.system.surfaces();
  CHECK(found.modes == 2 * knots + 1);
}

TEST_CASE("a search goes on while it shows new equilibria, so that many of one mode are found") {
  // Along y = 0 slides x' = cos 3x, with the relay sin(x)/2: an equilibrium at every x = π/6 + kπ/3, 20 of them in the box.
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 0.0
y = 1.0
[time]
end = 3.0
[derivatives]
x = "cos(3*x)"
y = "0.5*sin(x) - sgn(y)"
)TOML");
  EquilibriumOptions options;
  options.lower = Eigen::Vector2d{-10, -1};
  options.upper = Eigen::Vector2d{10, 1};
  const Equilibria found = equilibria_of(instance, options);
  for (int k = -10; k < 10; ++k) {
    const double x = (k + 0.5) * std::numbers::pi / 3;
    CAPTURE(x);
    CHECK(std::any_of(found.found.begin(), found.found.end(), [&](const Equilibrium& one) {
      return one.kind == EquilibriumKind::pseudo && one.admissible && std::abs(one.state[0] - x) < 1e-9;
    }));
  }
}
