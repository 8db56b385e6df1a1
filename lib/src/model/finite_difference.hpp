// The derivative of a vector function of one number by finite differences, central where it can be.
//
// It must not know what the function is.
#pragma once

#include <cmath>
#include <limits>

#include "slideway/core/scratch.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

// Which side of the point may be evaluated.
enum class DifferenceSide { both, below, above };

inline Eigen::Map<Vector> take_vector(ScratchFrame& frame, Index size) {
  return {frame.take<double>(size), size};
}
inline Eigen::Map<Matrix> take_matrix(ScratchFrame& frame, Index rows, Index columns) {
  return {frame.take<double>(rows * columns), rows, columns};
}

// The largest power of two not above `step`: x ± step is then exact, or nearly so.
inline double power_of_two_below(double step) { return std::ldexp(1.0, std::ilogb(step)); }

// Balances the truncation of central differences against rounding.
inline double cube_root_of_epsilon() {
  static const double root = std::cbrt(std::numeric_limits<double>::epsilon());
  return root;
}

// derivative = dF/ds at s = 0, where evaluate(s, result) sets result = F(s).
template <class Evaluate>
void difference(Evaluate&& evaluate, double step, DifferenceSide side, VectorRef derivative) {
  ScratchFrame frame;
  auto near = take_vector(frame, derivative.size());
  if (side == DifferenceSide::both) {
    auto low = take_vector(frame, derivative.size());
    evaluate(step, near);
    evaluate(-step, low);
    const bool above_is_finite = near.allFinite();
    const bool below_is_finite = low.allFinite();
    if (above_is_finite == below_is_finite) {
      derivative = (near - low) / (2 * step);
      return;
    }
    side = above_is_finite ? DifferenceSide::above : DifferenceSide::below;
    if (below_is_finite) near = low;
  } else {
    evaluate(side == DifferenceSide::above ? step : -step, near);
  }

  const double signed_step = side == DifferenceSide::above ? step : -step;
  auto base = take_vector(frame, derivative.size());
  auto far = take_vector(frame, derivative.size());
  evaluate(0.0, base);
  evaluate(2 * signed_step, far);
  if (far.allFinite()) {
    derivative = (4 * (near - base) - (far - base)) / (2 * signed_step);
  } else {
    derivative = (near - base) / signed_step;
  }
}

}  // namespace slideway
