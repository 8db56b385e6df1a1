// Periodic orbits of problems that act at known times, against exact discrete maps.
#include <unsupported/Eigen/MatrixFunctions>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/orbit_branch.hpp"
#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// A double integrator with a constant force, whose state feedback is sampled and held. `units` divides lengths.
std::string sampled_plant(double units, double time_unit) {
  const auto text = [](double value) { return std::to_string(value); };
  return "[parameters]\nT = " + text(0.5 * time_unit) + "\nL = " + text(units) +
         "\nk = 1.0\n[states]\nx = " + text(0.4 * units) +
         "\nv = 0.0\n[discrete]\nu = 0.0\nlast = 0.0\n[time]\nend = " + text(20 * time_unit) +
         "\n[derivatives]\nx = \"v\"\nv = \"u + 0.3*L*4*(0.5/T)^2*0.25 + 0*last\"\n"
         "[[every]]\nname = \"sample\"\nperiod = \"T\"\nset = { u = \"-0.25*k*x/T^2 - 0.6*v/T\", last = "
         "\"t\" }\n";
}

}  // namespace

TEST_CASE(
    "a sampled loop has the eigenvalues of its exact discrete matrix, in any unit, and exact zeros of what "
    "is set") {
  // In units of T: x+ = x + v + u/2, v+ = v + u, u = -x/4 - 3 v/5.
  Eigen::Matrix2d map;
  map << 1 - 0.125, 1 - 0.3, -0.25, 1 - 0.6;
  for (const auto& [units, time_unit] : {std::pair{1.0, 1.0}, {1000.0, 1.0}, {1.0, 0.01}, {1000.0, 0.01}}) {
    CAPTURE(units);
    CAPTURE(time_unit);
    const ModelInstance instance = instance_of(sampled_plant(units, time_unit));
    const double period = 0.5 * time_unit;
    // The speed is zero on the orbit, so that only the absolute tolerance tells its size.
    Options run;
    run.rtol = 1e-10;
    run.atol = Vector(1e-12 * Vector{{units, units / time_unit, units / (time_unit * time_unit), time_unit}});
    REQUIRE(schedule_period(instance.problem()));
    CHECK(std::abs(*schedule_period(instance.problem()) - period) <= 1e-15);
    for (const Index shots : {1, 4}) {
      CAPTURE(shots);
      const PeriodicOrbit orbit = find_periodic_orbit(
          instance.problem(), {.start = 0, .period = period, .state = instance.state}, {.shots = shots});
      require_orbit(orbit);
      CHECK_FALSE(orbit.autonomous);
      CHECK(orbit.signature == "sample(sample)");
      CHECK(orbit.clocks == std::vector<Index>{3});
      CHECK(count_of(orbit, MultiplierKind::ordinary) == 2);
      CHECK(count_of(orbit, MultiplierKind::exact_zero) == 2);
      for (const std::complex<double> value : eigenvalues_of(map))
        CHECK(has_multiplier(orbit, value, kExact));
    }
  }
}

TEST_CASE("a sampled loop of two rates has the period of both") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.0
[discrete]
u = 0.0
w = 0.0
[time]
end = 10.0
[derivatives]
x = "1 - x + u + w"
[[every]]
name = "slow"
period = 0.75
set = { u = "-0.5*x" }
[[every]]
name = "fast"
period = 0.5
offset = 0.2
set = { w = "-0.25*x" }
)TOML");
  const PeriodicOrbit orbit = driven_orbit(instance, 1.5, 4);
  require_orbit(orbit);
  REQUIRE(orbit.solution.events.size() == 5);
  // Of (x, u, w), over the stretches between samples.
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero(), slow = Eigen::Matrix3d::Identity(), fast = slow, whole = slow;
  a.row(0) << -1, 1, 1;
  slow.row(1) << -0.5, 0, 0;
  fast.row(2) << -0.25, 0, 0;
  const auto flow = [&](double length) -> Eigen::Matrix3d { return (a * length).exp(); };
  // From 0: slow at 0 and 0.75, fast at 0.2, 0.7 and 1.2.
  whole = flow(0.3) * fast * flow(0.45) * slow * flow(0.05) * fast * flow(0.5) * fast * flow(0.2) * slow;
  // Only the first sample sets what no other depends on.
  CHECK(count_of(orbit, MultiplierKind::ordinary) == 2);
  CHECK(count_of(orbit, MultiplierKind::exact_zero) == 1);
  const Eigen::Vector3cd values = Eigen::EigenSolver<Eigen::Matrix3d>(whole).eigenvalues();
  for (const std::complex<double> value : values)
    if (std::abs(value) > 1e-12) CHECK(has_multiplier(orbit, value, kExact));
}

TEST_CASE("a sampled loop loses its stability where its discrete matrix has an eigenvalue of -1") {
  // x' = u with u = -k x + 1 at the samples: x+ = x + T (1 - k x), which doubles its period at k = 2/T.
  const char* const text = R"TOML(
[parameters]
p = 3.0
[states]
x = 0.3
[discrete]
u = 0.0
[time]
end = 4.0
[derivatives]
x = "u + 0.1*x^2"
[[every]]
name = "sample"
period = 0.5
set = { u = "1 - p*x" }
)TOML";
  const auto problem = [&](double value) { return instance_of(text, {{"p", value}}).problem(); };
  const ModelInstance instance = instance_of(text);
  const OrbitBranch branch =
      follow_periodic_orbit({.problem = problem}, {.start = 0, .period = 0.5, .state = instance.state},
                            {.first = 3, .last = 6, .points = 7});
  CAPTURE(branch.message);
  CHECK(branch.complete);
  REQUIRE(branch.bifurcations.size() == 1);
  CHECK(branch.bifurcations.front().kind == Bifurcation::period_doubling);
  // At rest u = -0.1 x^2 = 1 - p x; beside it x' = u + c x with c = 0.2 x has x+ = E x + (E - 1)/c u, E = exp(c T).
  double low = 3, high = 6;
  for (int k = 0; k < 200; ++k) {
    const double p = 0.5 * (low + high);
    const double x = (p - std::sqrt(p * p - 0.4)) / 0.2, c = 0.2 * x, e = std::exp(0.5 * c);
    (e - (e - 1) / c * p > -1 ? low : high) = p;
  }
  CHECK(std::abs(branch.bifurcations.front().parameter - 0.5 * (low + high)) <= 1e-7);
}

TEST_CASE("a discrete state that nothing sets keeps its value, and its multiplier is told apart") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.0
v = 0.0
[discrete]
gain = 2.0
[time]
end = 10.0
[derivatives]
x = "v"
v = "-x - 0.5*v + gain*cos(2*t)"
)TOML");
  for (const Index shots : {1, 3}) {
    const PeriodicOrbit orbit =
        find_periodic_orbit(instance.problem(), {.period = kPi, .state = instance.state}, {.shots = shots});
    require_orbit(orbit);
    CHECK(orbit.state[2] == 2.0);
    CHECK(count_of(orbit, MultiplierKind::held) == 1);
    CHECK(orbit.stability == OrbitStability::stable);
    CHECK(std::abs(orbit.multipliers[0].value) == doctest::Approx(std::exp(-0.25 * kPi)).epsilon(1e-8));
  }
}

TEST_CASE("a sampled loop has the exponents of its discrete matrix, and minus infinity of what is set") {
  const ModelInstance instance = instance_of(sampled_plant(1, 1));
  for (const double block : {0.5, 0.7}) {
    CAPTURE(block);
    const LyapunovExponents found =
        lyapunov_exponents(instance.problem(), {.start = 0, .end = 211, .state = instance.state},
                           {.run = {.rtol = 1e-10}, .block = block, .transient = 1});
    CAPTURE(found.message);
    REQUIRE(found.complete);
    // The determinant of the map is 0.525; its eigenvalues are a pair, whose exponents are the same.
    CHECK(std::abs(found.values[0] + found.values[1] - std::log(0.525) / 0.5) <= 0.02);
    CHECK(std::abs(found.values[0] - 0.5 * std::log(0.525) / 0.5) <= 0.02);
    CHECK(std::isinf(found.values[2]));
    CHECK(std::isinf(found.values[3]));
  }
}
