// A turn of a guard that its values do not show. Where the gradient of a guard vanishes, as that of log(1 + x²) at 0, w tells more than
// the values do, which rounding of larger terms within the guard hides: with h ≈ h(τ₀) + ḧ(τ − τ₀)²/2 the guard turns at
//     τ₀ = −w/ḧ,     after a change of  w τ₀/2.
//
// It must not know whose guard it is, or how a point ahead is found.
#pragma once

#include <cmath>

namespace slideway {

// Rounding hides the turn of a guard within the time (2ε·size/|ḧ|)^½. This part of the time in which the equations change allows terms in
// the guard that are (1e-5)²/2ε = 2e5 times as large as its own change in that time.
inline constexpr double kShortTurn = 1e-5;
// A guard that changes by no more than this part of what its rate says has a rounding of seven eighths of the change, or more.
inline constexpr double kUnseenPart = 0.125;

// change_after(τ) is by how much the guard, as it is evaluated, changes within the time τ, which may be negative. `scale` is the time in
// which the equations change.
template <class ChangeAfter>
bool is_hidden_turn(double w, double curvature, double scale, const ChangeAfter& change_after) {
  const double until = -w / curvature;
  if (!(std::abs(until) <= kShortTurn * scale)) return false;
  // Three quarters of the change to the turn belong to the first half of the way.
  const double change = 0.5 * std::abs(w * until);
  const auto shows = [&](double time, double expected) {
    return !(std::abs(change_after(time)) <= kUnseenPart * expected);
  };
  return !shows(until, change) && !shows(0.5 * until, 0.75 * change);
}

}  // namespace slideway
