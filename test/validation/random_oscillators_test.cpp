// The oscillator whose stick-slip events are missed by ordinary root-finding, and 100 random variations of it,
// against their exact event lists.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "test/validation/describe.hpp"
#include "validation/oscillator_case.hpp"
#include "validation/verdict.hpp"

using namespace slideway;
using namespace slideway::validation;

namespace {

constexpr int variations = 100;

// Whether the exact motion itself can be told from its neighbours at this tolerance: moved by 10·rtol where each slip
// ends, it keeps its events and moves none of their times, nor its end, by more than the 1000·rtol that a run is allowed.
bool well_posed_at(double rtol, const ClosedFormOscillator& oscillator, const OscillatorMotion& exact) {
  const long double size = 10 * rtol;
  const auto alternate = [size](std::size_t k) { return k % 2 == 0 ? size : -size; };
  const auto opposite = [size](std::size_t k) { return k % 2 == 0 ? -size : size; };
  const auto up = [size](std::size_t) { return size; };
  const auto down = [size](std::size_t) { return -size; };
  const auto agrees = [&](const OscillatorMotion& moved) {
    if (moved.events.size() != exact.events.size()) return false;
    for (std::size_t k = 0; k < exact.events.size(); ++k) {
      if (moved.events[k].to != exact.events[k].to) return false;
      const long double scale = std::max(1.0L, exact.events[k].t);
      if (std::abs(moved.events[k].t - exact.events[k].t) > 1000 * rtol * scale) return false;
    }
    return std::abs(moved.position - exact.position) <= 1000 * rtol &&
           std::abs(moved.velocity - exact.velocity) <= 1000 * rtol;
  };
  return agrees(oscillator.solve(alternate)) && agrees(oscillator.solve(opposite)) &&
         agrees(oscillator.solve(up)) && agrees(oscillator.solve(down));
}

class Draws {
 public:
  // μ in [0.05, 1], A in [0.2, 2], ω in [0.2, 0.9] or [1.1, 3], x₀ in [−3, 3].
  OscillatorParameters next() {
    OscillatorParameters parameters;
    parameters.mu = uniform(0.05, 1);
    parameters.amplitude = uniform(0.2, 2);
    parameters.frequency = uniform(0, 1) < 0.5 ? uniform(0.2, 0.9) : uniform(1.1, 3);
    parameters.position = uniform(-3, 3);
    parameters.end = 60;
    return parameters;
  }

 private:
  // Not std::uniform_real_distribution, whose numbers differ between standard libraries.
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  std::mt19937_64 random_{20240607};
};

void check_variations(Method method) {
  std::size_t events = 0;
  int skipped = 0;
  Draws draws;
  for (int k = 0; k < variations; ++k) {
    const OscillatorParameters parameters = draws.next();
    const ClosedFormOscillator oscillator(parameters);
    const OscillatorMotion exact = oscillator.solve();
    const Case problem = oscillator_case(parameters, exact);
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      if (!well_posed_at(rtol, oscillator, exact)) {
        ++skipped;
        continue;
      }
      const Verdict verdict = judge(problem, method, rtol);
      events += exact.events.size();
      CAPTURE(k);
      CAPTURE(parameters.mu);
      CAPTURE(parameters.amplitude);
      CAPTURE(parameters.frequency);
      CAPTURE(parameters.position);
      CHECK_MESSAGE(verdict.passed, describe(problem, method, rtol, verdict));
    }
  }
  MESSAGE(std::string(to_string(method)), ": ", events, " events, ", skipped, " of ", 5 * variations,
          " runs skipped as ill-posed");
  CHECK(events > 10'000);
  CHECK(skipped <= 10);
}

}  // namespace

TEST_CASE("100 random oscillators have exactly their events with bdf") { check_variations(Method::bdf); }

TEST_CASE("100 random oscillators have exactly their events with adams") { check_variations(Method::adams); }

TEST_CASE("100 random oscillators have exactly their events with dopri5") {
  check_variations(Method::dopri5);
}

TEST_CASE("200 periods of the dry-friction oscillator give 797 events at every tolerance") {
  const OscillatorParameters parameters{.end = 200 * 2 * 3.14159265358979323846 / 0.5};
  const Case problem = oscillator_case(parameters, ClosedFormOscillator(parameters).solve());
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      const Verdict verdict = judge(problem, method, rtol);
      CHECK(verdict.solution.events.size() == 797);
      CHECK_MESSAGE(verdict.passed, describe(problem, method, rtol, verdict));
    }
  }
}
