// Lyapunov exponents that are published or have closed forms.
#include "slideway/orbit/lyapunov.hpp"

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// The block of Popp and Stelter by itself: from the time when it begins to slip to that of the next slip, in fixed steps of the classical
// formula of order four. While it sticks x grows with the belt until |x - u cos(wt)| is mu.
struct StickSlipMap {
  double belt = 0.2, mu = 1, delta = 0.1, gamma = 1.42, u = 0.2, w = 0.9;

  double acceleration(double t, double x, double v) const {
    return -x + mu * ((1 - delta) / (1 + gamma * (belt - v)) + delta) + u * std::cos(w * t);
  }
  void step(double& t, double& x, double& v, double h) const {
    const double k1 = v, l1 = acceleration(t, x, v);
    const double k2 = v + 0.5 * h * l1, l2 = acceleration(t + 0.5 * h, x + 0.5 * h * k1, v + 0.5 * h * l1);
    const double k3 = v + 0.5 * h * l2, l3 = acceleration(t + 0.5 * h, x + 0.5 * h * k2, v + 0.5 * h * l2);
    const double k4 = v + h * l3, l4 = acceleration(t + h, x + h * k3, v + h * l3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    t += h;
  }
  double end_of_stick(double begin, double x) const {
    const auto left = [&](double t) { return x + belt * (t - begin) - u * std::cos(w * t) - mu; };
    double low = begin, high = begin;
    while (left(high) < 0) {
      low = high;
      high += 0.002;
    }
    for (int k = 0; k < 60; ++k) (left(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
    return 0.5 * (low + high);
  }
  double operator()(double begin) const {
    double t = begin, x = mu + u * std::cos(w * begin), v = belt;
    double low = 0, high = 1e-3;
    while (true) {
      double next_t = t, next_x = x, next_v = v;
      step(next_t, next_x, next_v, high);
      if (next_v >= belt) break;
      t = next_t, x = next_x, v = next_v;
    }
    for (int k = 0; k < 60; ++k) {
      double to_t = t, to_x = x, to_v = v;
      step(to_t, to_x, to_v, 0.5 * (low + high));
      (to_v < belt ? low : high) = 0.5 * (low + high);
    }
    step(t, x, v, 0.5 * (low + high));
    return end_of_stick(t, x);
  }
  double slope(double begin) const {
    constexpr double h = 1e-4;
    return ((*this)(begin + h) - (*this)(begin - h)) / (2 * h);
  }
};

}  // namespace

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

TEST_CASE("a direction that shrinks fast keeps its finite exponent in blocks of any length") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.0
y = 1.0
[time]
end = 3.0
[derivatives]
x = "-1000*x"
y = "-y"
)TOML");
  for (const double block : {0.1, 1.0, 3.0}) {
    const LyapunovExponents found =
        lyapunov_exponents(instance.problem(), {.start = 0, .end = 4, .state = instance.state},
                           {.block = block, .transient = 1});
    CAPTURE(block);
    CAPTURE(found.message);
    REQUIRE(found.complete);
    CHECK(std::abs(found.values[0] + 1) <= 1e-6);
    CHECK(std::abs(found.values[1] + 1000) <= 0.1);
  }
}

TEST_CASE("sliding along a curved surface wipes out one direction at any accuracy") {
  const std::string model = R"TOML(
[parameters]
big = 1.0
[states]
x = "2*big"
y = 0.0
[time]
end = 40.0
[surfaces]
circle = "x^2 + y^2 - big^2"
[derivatives]
x = "-y - x*sgn(circle)"
y = "x - y*sgn(circle)"
)TOML";
  for (const double rtol : {1e-4, 1e-8})
    for (const auto& [big, transient] : {std::pair{1e-6, 1.0}, {1.0, 0.8}, {1e6, 5.0}}) {
      const ModelInstance instance = instance_of(model, {{"big", big}});
      const LyapunovExponents found =
          lyapunov_exponents(instance.problem(), {.start = 0, .end = 40, .state = instance.state},
                             {.run = {.rtol = rtol}, .block = 0.7, .transient = transient});
      CAPTURE(rtol);
      CAPTURE(big);
      CAPTURE(found.message);
      CAPTURE(found.values.transpose());
      REQUIRE(found.complete);
      // The sizes of both states may differ by a factor of 4, and so do lengths at two places of the circle.
      CHECK(std::abs(found.values[0]) <= std::log(4.0) / 34);
      CHECK(found.values[1] == -std::numeric_limits<double>::infinity());
    }
}

TEST_CASE("a run that begins on its surface has the exponent of the sliding field") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.0
y = 0.0
[time]
end = 5.0
[surfaces]
line = "x + y - 1"
[derivatives]
x = "-2*(x - 1) - 10*sgn(line)"
y = "-2*y - 10*sgn(line)"
)TOML");
  const LyapunovExponents found =
      lyapunov_exponents(instance.problem(), {.start = 0, .end = 5, .state = instance.state}, {.block = 0.5});
  CAPTURE(found.message);
  REQUIRE(found.complete);
  CHECK(std::abs(found.values[0] + 2) <= 1e-6);
  CHECK(found.values[1] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("a chaotic stick-slip oscillator has the exponent of its one-dimensional map") {
  const ModelInstance instance = gallery_instance("popp_stelter", {{"u", 0.2}, {"w", 0.9}});
  const Automaton problem = instance.problem();
  const Solution solution =
      Simulator(problem, {.rtol = 1e-11}).run({.start = 0, .end = 420, .state = instance.state});
  REQUIRE(solution.outcome.reached_end());
  std::vector<double> begins, slips;  // of sticking and of slipping
  for (const EventRecord& event : solution.events) {
    if (event.t < 280) continue;
    if (event.kind == EventKind::sliding_entry) begins.push_back(event.t);
    if (event.kind == EventKind::sliding_exit && !begins.empty()) slips.push_back(event.t);
  }
  REQUIRE(slips.size() >= 9);
  // From the middle of one stick to that of another.
  const std::size_t last = 8;
  const double begin = 0.5 * (begins[0] + slips[0]), end = 0.5 * (begins[last] + slips[last]);
  const StickSlipMap map;
  double logarithms = 0;
  for (std::size_t k = 0; k < last; ++k) {
    CHECK(std::abs(map(slips[k]) - slips[k + 1]) <= 1e-6);
    logarithms += std::log(std::abs(map.slope(slips[k])));
  }
  // A change of x while it sticks moves the begin of slip by this.
  const auto by_place = [&](double t) { return 1 / (map.belt + map.u * map.w * std::sin(map.w * t)); };
  logarithms += std::log(by_place(slips[0]) / by_place(slips[last]));
  const LyapunovExponents found =
      lyapunov_exponents(problem, {.start = begin, .end = end, .state = solution.trajectory(begin)},
                         {.run = {.rtol = 1e-11}, .block = (end - begin) / 20});
  CAPTURE(found.message);
  REQUIRE(found.complete);
  CAPTURE(found.values[0]);
  CAPTURE(logarithms / (end - begin));
  CHECK(found.values[0] > 0.02);
  CHECK(std::abs(found.values[0] - logarithms / (end - begin)) <= 1e-4 * found.values[0]);
  CHECK(found.values[1] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("Lyapunov exponents refuse blocks that make no sense") {
  const ModelInstance instance = gallery_instance("dry_friction");
  const Run run{.start = 0, .end = 10, .state = instance.state};
  CHECK_THROWS_AS(lyapunov_exponents(instance.problem(), run, {.block = 0}), std::invalid_argument);
  CHECK_THROWS_AS(lyapunov_exponents(instance.problem(), run, {.block = 20}), std::invalid_argument);
  CHECK_THROWS_AS(lyapunov_exponents(instance.problem(), run, {.transient = -1}), std::invalid_argument);
}
