// Lyapunov exponents that are published or have closed forms.
#include "slideway/orbit/lyapunov.hpp"

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("the Lorenz system has its published exponents, and their sum is the divergence") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.0
y = 1.0
z = 20.0
[time]
end = 1.0
[derivatives]
x = "10*(y - x)"
y = "x*(28 - z) - y"
z = "x*y - 8/3*z"
)TOML");
  const LyapunovExponents found =
      lyapunov_exponents(instance.problem(), {.start = 0, .end = 1020, .state = instance.state},
                         {.run = {.rtol = 1e-7}, .block = 0.5, .transient = 20});
  CAPTURE(found.message);
  CAPTURE(found.values.transpose());
  CAPTURE(found.errors.transpose());
  REQUIRE(found.complete);
  CHECK(found.times.size() == 2000);
  CHECK(std::abs(found.values[0] - 0.9056) <= 0.012);
  CHECK(std::abs(found.values[0] - 0.9056) <= 5 * found.errors[0]);
  CHECK(std::abs(found.values[1]) <= 0.003);
  CHECK(std::abs(found.values.sum() + 41.0 / 3) <= 1e-5);
}

TEST_CASE("a block that sticks has the exponent of its flights, and one that is minus infinity") {
  const ModelInstance instance = gallery_instance("dry_friction");
  const PeriodicOrbit orbit = driven_orbit(instance, 4 * kPi, 8);
  require_orbit(orbit);
  double flight = 0, left = 0;  // both flights are equally long
  for (const EventRecord& event : orbit.solution.events) {
    if (event.kind == EventKind::sliding_exit) left = event.t;
    if (event.kind == EventKind::sliding_entry && left > 0) flight = event.t - left;
  }
  const double period = 4 * kPi;
  const LyapunovExponents found = lyapunov_exponents(
      instance.problem(), {.start = orbit.start, .end = orbit.start + 20 * period, .state = orbit.state},
      {.run = {.rtol = 1e-10}, .block = period, .transient = 10 * period});
  CAPTURE(found.message);
  REQUIRE(found.complete);
  // The first block turns the direction into that of the orbit; every later one stretches it by the multiplier.
  REQUIRE(found.running.size() == 10);
  const double last = 10 * found.running[9][0] - 9 * found.running[8][0];
  CHECK(std::abs(last - std::log(std::cos(flight) * std::cos(flight)) / period) <= 1e-8);
  CHECK(found.values[1] == -std::numeric_limits<double>::infinity());
  CHECK(std::isinf(found.exists_until));
}

TEST_CASE("Lyapunov exponents refuse blocks that make no sense") {
  const ModelInstance instance = gallery_instance("dry_friction");
  const Run run{.start = 0, .end = 10, .state = instance.state};
  CHECK_THROWS_AS(lyapunov_exponents(instance.problem(), run, {.block = 0}), std::invalid_argument);
  CHECK_THROWS_AS(lyapunov_exponents(instance.problem(), run, {.block = 20}), std::invalid_argument);
  CHECK_THROWS_AS(lyapunov_exponents(instance.problem(), run, {.transient = -1}), std::invalid_argument);
}
