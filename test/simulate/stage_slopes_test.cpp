#include "simulate/stage_slopes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

using namespace slideway;

namespace {

constexpr double kStages[] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};

// The stages of a step from t = 1 of length h, for one quantity below `upper`.
StageSlopes slopes_of(const std::function<double(double)>& quantity, double h, double upper) {
  StageSlopes slopes(1);
  slopes.start(1, upper);
  for (const double part : kStages) {
    const double t = 1 + h * part;
    slopes.add(t, [&](Index) { return quantity(t); });
  }
  return slopes;
}

bool stays(const std::function<double(double)>& quantity, double h, double until, double upper = 2) {
  return slopes_of(quantity, h, upper).stay_until(1 + until);
}

bool leaves_once(const std::function<double(double)>& quantity, double h, double until, double upper = 2) {
  return slopes_of(quantity, h, upper).leave_once_until(1 + until, [&](Index) {
    return quantity(1 + until);
  });
}

}  // namespace

TEST_CASE("a relay that moves evenly is known until it gets to its bound") {
  const auto falls = [](double t) { return 1 - 0.5 * (t - 1); };
  CHECK(stays(falls, 1, 1));
  CHECK(stays(falls, 3, 1.99));
  CHECK_FALSE(stays(falls, 3, 2.01));
  CHECK(leaves_once(falls, 3, 2.5));
  const auto rises = [](double t) { return 1 + 0.5 * (t - 1); };
  CHECK(stays(rises, 3, 1.99));
  CHECK_FALSE(stays(rises, 3, 2.01));
  CHECK(stays(rises, 3, 3, std::numeric_limits<double>::infinity()));
  CHECK(leaves_once(rises, 3, 2.5));
}

TEST_CASE("a relay that dips below its bound and comes back is not taken for one that stays") {
  for (const double middle : {0.1, 0.25, 0.5, 0.55, 0.7, 0.85, 0.95}) {
    for (const double depth : {-1e-3, -0.1, -0.5}) {
      for (const double curvature : {0.5, 4.0, 50.0}) {
        CAPTURE(middle);
        CAPTURE(depth);
        CAPTURE(curvature);
        const auto dips = [&](double t) { return depth + curvature * (t - 1 - middle) * (t - 1 - middle); };
        if (!(dips(1) > 0)) continue;
        const double infinity = std::numeric_limits<double>::infinity();
        CHECK_FALSE(stays(dips, 1, 1, infinity));
        if (dips(2) > 0) CHECK_FALSE(leaves_once(dips, 1, 1, infinity));
      }
    }
  }
}

TEST_CASE("a relay that swings faster than the step is not taken for one that stays") {
  for (int k = 1; k < 400; ++k) {
    const double frequency = 0.37 * k;
    for (const double phase : {0.0, 1.0, 2.5, 4.0}) {
      CAPTURE(frequency);
      CAPTURE(phase);
      const auto swings = [&](double t) { return 1 + 1.25 * std::sin(frequency * (t - 1) + phase); };
      const bool leaves = frequency > 6.3;
      if (leaves && swings(1) > 0 && swings(1) < 2) CHECK_FALSE(stays(swings, 1, 1));
    }
  }
}

TEST_CASE("of fewer stages than a step has, and of values that are not finite, nothing is known") {
  StageSlopes slopes(2);
  slopes.start(2, 2);
  CHECK_FALSE(slopes.stay_until(1));
  for (const double part : {0.0, 0.2, 0.3}) slopes.add(1 + part, [](Index) { return 1.0; });
  CHECK_FALSE(slopes.stay_until(1.1));
  CHECK_FALSE(stays([](double t) { return t > 1.5 ? std::nan("") : 1.0; }, 1, 0.1));
  CHECK_FALSE(stays([](double t) { return t > 1.25 && t < 1.35 ? std::nan("") : 1.0; }, 1, 0.1));
}

TEST_CASE("the next step starts where the last one ended") {
  StageSlopes slopes = slopes_of([](double t) { return 1 + 0.5 * (t - 1); }, 1, 2);
  slopes.restart(2);
  CHECK(slopes.value(slopes.stage_at(2), 0) == doctest::Approx(1.5));
  for (const double part : kStages) {
    if (part > 0) slopes.add(2 + part, [&](Index) { return 1.5 - 0.25 * part; });
  }
  CHECK(slopes.stay_until(3));
  CHECK(slopes.value(slopes.stage_at(3), 0) == doctest::Approx(1.25));
}

TEST_CASE("the next step starts at a stage that others were looked at after, and nowhere else") {
  const auto rises = [](double t) { return 1 + 0.25 * (t - 1); };
  StageSlopes slopes = slopes_of(rises, 1, 2);
  for (const double part : {0.1, 0.2, 7.0 / 9}) slopes.add(1 + part, [&](Index) { return rises(1 + part); });
  CHECK(slopes.stay_until(2));
  CHECK(slopes.stage_at(1.5) < 0);
  REQUIRE(slopes.stage_at(2) >= 0);
  CHECK(slopes.value(slopes.stage_at(2), 0) == 1.25);
  slopes.restart(2);
  for (const double part : kStages) {
    if (part > 0) slopes.add(2 + part, [&](Index) { return rises(2 + part); });
  }
  CHECK(slopes.stay_until(3));
  slopes.restart(2.5);
  for (const double part : kStages) {
    if (part > 0) slopes.add(2.5 + part, [&](Index) { return 1.0; });
  }
  CHECK_FALSE(slopes.stay_until(3.5));
}
