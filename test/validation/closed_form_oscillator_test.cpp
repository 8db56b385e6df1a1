// The oracle itself: its event lists are checked against the equation, not against the library.
#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "validation/closed_form_oscillator.hpp"

using namespace slideway::validation;

namespace {

using Real = long double;

// The same motion by brute force: Runge-Kutta steps of 1/2000 in the mode at hand, its end bisected.
struct BruteForce {
  OscillatorParameters p;

  Real force(Real t, Real x) const { return p.amplitude * std::cos(Real(p.frequency) * t) - x; }

  void step(Real& t, Real& x, Real& v, Real sign, Real h) const {
    const auto acceleration = [&](Real time, Real position) { return force(time, position) - p.mu * sign; };
    const Real k1x = v, k1v = acceleration(t, x);
    const Real k2x = v + h / 2 * k1v, k2v = acceleration(t + h / 2, x + h / 2 * k1x);
    const Real k3x = v + h / 2 * k2v, k3v = acceleration(t + h / 2, x + h / 2 * k2x);
    const Real k4x = v + h * k3v, k4v = acceleration(t + h, x + h * k3x);
    x += h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x);
    v += h / 6 * (k1v + 2 * k2v + 2 * k3v + k4v);
    t += h;
  }

  char at_rest(Real t, Real x) const { return force(t, x) > p.mu ? '+' : force(t, x) < -p.mu ? '-' : '0'; }

  OscillatorMotion solve() const {
    constexpr Real h = Real(1) / 2000;
    OscillatorMotion motion;
    Real t = 0, x = p.position, v = 0;
    char mode = at_rest(t, x);
    motion.initial_mode = mode;
    while (t < p.end) {
      const Real t_before = t, x_before = x, v_before = v;
      const Real sign = mode == '+' ? 1 : -1;
      bool ends = false;
      if (mode == '0') {
        t += h;
        ends = at_rest(t, x) != '0';
      } else {
        step(t, x, v, sign, h);
        ends = sign * v <= 0;
      }
      if (!ends) continue;
      Real low = 0, high = h;
      for (int k = 0; k < 80; ++k) {
        const Real middle = (low + high) / 2;
        Real time = t_before, position = x_before, velocity = v_before;
        bool beyond = false;
        if (mode == '0') {
          beyond = at_rest(time + middle, position) != '0';
        } else {
          step(time, position, velocity, sign, middle);
          beyond = sign * velocity <= 0;
        }
        (beyond ? high : low) = middle;
      }
      t = t_before, x = x_before, v = v_before;
      if (mode == '0') {
        t += high;
      } else {
        step(t, x, v, sign, high);
        v = 0;
      }
      if (t > p.end) break;
      const char next = at_rest(t, x);
      motion.events.push_back({t, mode, next, x});
      mode = next;
      // One small step, so that a slip that starts with no acceleration is on its way.
      if (mode != '0') step(t, x, v, mode == '+' ? 1 : -1, Real(1) / 65536);
    }
    return motion;
  }
};

void check_same_events(const OscillatorMotion& exact, const OscillatorMotion& other, Real tolerance) {
  REQUIRE(exact.events.size() == other.events.size());
  CHECK(exact.initial_mode == other.initial_mode);
  for (std::size_t k = 0; k < exact.events.size(); ++k) {
    CHECK(exact.events[k].from == other.events[k].from);
    CHECK(exact.events[k].to == other.events[k].to);
    CHECK(std::abs(exact.events[k].t - other.events[k].t) <= tolerance);
    CHECK(std::abs(exact.events[k].x - other.events[k].x) <= tolerance);
  }
}

}  // namespace

TEST_CASE("200 periods of the dry-friction oscillator have 797 mode changes") {
  const OscillatorMotion motion = ClosedFormOscillator({.end = 200 * 2 * std::numbers::pi / 0.5}).solve();
  CHECK(motion.events.size() == 797);
  CHECK(motion.initial_mode == '-');
  CHECK(motion.margin > 0.02L);
}

TEST_CASE("the oracle agrees with brute force") {
  const OscillatorParameters draws[] = {
      {.mu = 0.4, .amplitude = 1, .frequency = 0.5, .position = 2, .end = 50},
      {.mu = 0.709, .amplitude = 1.111, .frequency = 2.575, .position = -1.42, .end = 50},
      {.mu = 0.578, .amplitude = 0.956, .frequency = 1.906, .position = 1.272, .end = 50},
      {.mu = 0.094, .amplitude = 0.214, .frequency = 2.238, .position = -0.749, .end = 50},
      {.mu = 0.34, .amplitude = 0.9, .frequency = 0.3, .position = 0.5, .end = 50},
  };
  for (const OscillatorParameters& parameters : draws) {
    CAPTURE(parameters.mu);
    const OscillatorMotion exact = ClosedFormOscillator(parameters).solve();
    CHECK(exact.events.size() > 5);
    check_same_events(exact, BruteForce{parameters}.solve(), 1e-9L);
  }
}

TEST_CASE("without a drive the turning points lose twice the friction") {
  // x turns at 1, -0.5, 0.0 with mu = 0.25, and rests there.
  const OscillatorMotion motion =
      ClosedFormOscillator({.mu = 0.25, .amplitude = 1e-300, .frequency = 0.5, .position = 1.1, .end = 20})
          .solve();
  REQUIRE(motion.events.size() == 2);
  const Real pi = std::numbers::pi_v<Real>;
  CHECK(std::abs(motion.events[0].t - pi) < 1e-16L);
  CHECK(std::abs(motion.events[0].x + 0.6L) < 1e-15L);
  CHECK(motion.events[0].to == '+');
  CHECK(std::abs(motion.events[1].t - 2 * pi) < 1e-16L);
  CHECK(std::abs(motion.events[1].x - 0.1L) < 1e-15L);
  CHECK(motion.events[1].to == '0');
  CHECK(std::abs(motion.position - 0.1L) < 1e-15L);
}

TEST_CASE("a block that the drive cannot move never moves") {
  const OscillatorMotion motion =
      ClosedFormOscillator({.mu = 2, .amplitude = 1, .frequency = 0.5, .position = 0.5, .end = 100}).solve();
  CHECK(motion.events.empty());
  CHECK(motion.initial_mode == '0');
  CHECK(motion.position == 0.5L);
}

TEST_CASE("the oracle refuses resonance and friction that is not positive") {
  CHECK_THROWS_AS(ClosedFormOscillator({.frequency = 1}), std::invalid_argument);
  CHECK_THROWS_AS(ClosedFormOscillator({.mu = 0}), std::invalid_argument);
}
