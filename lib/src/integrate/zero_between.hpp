// The zero of a function of time of which a value is dear, as it is where one takes an evaluation of the field.
//
// It must not know what the function is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

struct ValueAt {
  double t;
  double value;
};

// Inverse interpolation: where the quadratic t(value) through three points, of values that differ, has its t(0).
inline double interpolated_zero(const ValueAt& a, const ValueAt& b, const ValueAt& c) {
  return a.t * (b.value / (b.value - a.value)) * (c.value / (c.value - a.value)) +
         b.t * (a.value / (a.value - b.value)) * (c.value / (c.value - b.value)) +
         c.t * (a.value / (a.value - c.value)) * (b.value / (b.value - c.value));
}

// zero_between() finds the zero between `left`, where the function is positive, and `right`, where it is negative,
// to the last two units of t. A value costs an evaluation of the field, so the last two values predict the rest
// instead of a tight bracket as in TOMS 748. Halving finds a pole, towards which the function grows.
template <class Function>
double zero_between(const Function& function, ValueAt left, ValueAt right) {
  constexpr int most_iterations = 200;
  const double resolution =
      2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(left.t), std::abs(right.t));
  ValueAt latest = right;
  ValueAt before = left;
  ValueAt oldest = left;
  const double left_size = std::abs(left.value);
  const double right_size = std::abs(right.value);
  bool is_slow = false;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double t = interpolated_zero(latest, before, oldest);
    // Also at first, when there are two points only.
    if (!(t > left.t && t < right.t))
      t = left.t + (right.t - left.t) * (left.value / (left.value - right.value));
    if (is_slow || !(t > left.t && t < right.t)) t = 0.5 * (left.t + right.t);
    oldest = before;
    before = latest;
    latest = {t, function(t)};
    if (latest.value == 0) return t;
    const double width = right.t - left.t;
    (latest.value > 0 ? left : right) = latest;
    if (right.t - left.t <= resolution) return 0.5 * (left.t + right.t);
    // Halving is next where neither the value nor the bracket has become much smaller.
    is_slow = std::abs(latest.value) > 0.25 * std::abs(before.value) && right.t - left.t > 0.5 * width;
    const bool grows = std::abs(left.value) >= left_size && std::abs(right.value) >= right_size;
    if (grows) is_slow = true;
    const double slope = (latest.value - before.value) / (latest.t - before.t);
    const double rest = latest.value / slope;
    if (!grows && std::abs(rest) <= resolution) return std::clamp(t - rest, left.t, right.t);
  }
  return 0.5 * (left.t + right.t);
}

}  // namespace slideway
