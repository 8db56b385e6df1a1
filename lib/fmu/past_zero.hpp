// The distance past a zero at which a motion is looked at. Who exports an FMU and who imports it look equally far, so that each sees the side
// that the other means.
//
// It must not know indicators.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway::fmu {

// 10⁵ rounding errors of 1, so that no rounding of a guard, whose terms lose a few each, hides a change of this part.
constexpr double many_roundings = 1e5 * std::numeric_limits<double>::epsilon();

// time_past_zero() returns the same part of the time t, or of the span of the run where that is longer.
inline double time_past_zero(double t, double span) {
  return many_roundings * std::max(std::abs(t), span > 0 ? span : 1.0);
}

}  // namespace slideway::fmu
