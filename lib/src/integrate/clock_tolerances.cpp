#include "integrate/clock_tolerances.hpp"

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"

namespace slideway {

namespace {

// Roundings of the clock that an error estimate may hold: a difference of order five has the weights 1, 5, 10, 10, 5, 1.
constexpr double kClockFactor = 16;
constexpr double kFarLess = 0.25;

}  // namespace

bool ClockTolerances::are_wider(CheckedOde& ode, const StepBegin& begin) {
  const double rounding = kClockFactor * kEpsilon * std::abs(begin.t);
  // A step changes a state by less than its size.
  if (rounding < rtol_ * begin.h) return false;
  if (!(rounding * begin.velocity.array().abs() * begin.weights.array() > 1).any()) return false;
  for (Vector* const velocity : {&now_, &held_, &moved_}) velocity->resize(begin.x.size());
  const double later = std::min(begin.t + rounding, begin.latest);
  tolerances_ = begin.x + (later - begin.t) * begin.velocity;
  if (!ode.velocity(begin.t, begin.x, now_) || !ode.velocity(later, begin.x, held_) ||
      !ode.velocity(later, tolerances_, moved_))
    return false;
  bool any = false;
  for (Index i = 0; i < tolerances_.size(); ++i) {
    const double change = std::abs(held_[i] - now_[i]);
    const bool follows = std::abs(moved_[i] - now_[i]) < kFarLess * change;
    const double by_clock = follows ? std::min(begin.h * change, rounding * std::abs(begin.velocity[i])) : 0;
    tolerances_[i] = std::max(1 / begin.weights[i], by_clock);
    any = any || by_clock * begin.weights[i] > 1;
  }
  return any;
}

}  // namespace slideway
