// The derivative of a vector function of one number by finite differences, central where it can be.
//
// It must not know what the function is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "slideway/core/types.hpp"
#include "slideway/detail/core/scratch.hpp"

namespace slideway {

// DifferenceSide says which side of the point may be evaluated.
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

// The step of a difference along x(j), of which `size` is what counts as a change of it.
inline double value_step(double value, double size) {
  // The step lies between an absolute and a relative one: a large value may be a pressure or an angle of many
  // turns.
  const double growth = std::sqrt(std::max(1.0, std::abs(value) / size));
  return power_of_two_below(cube_root_of_epsilon() * size * growth);
}

// step_along() moves t and every x(j) no farther than their own steps, however short or long the direction is;
// `state_step(j)` is that of x(j), and `time_size` is what counts as a change of t.
template <class StateStep>
double step_along(double t, double t_dot, ConstVectorRef x_dot, double time_size,
                  const StateStep& state_step) {
  double step = 1;
  bool moves = false;
  const auto limit = [&](double own_step, double speed) {
    if (speed == 0) return;
    const double allowed = own_step / std::abs(speed);
    step = moves ? std::min(step, allowed) : allowed;
    moves = true;
  };
  // A clock runs on while the equations keep their time scale, so t takes an absolute step as long as
  // that can be resolved.
  constexpr double resolvable = 0x1p14 * std::numeric_limits<double>::epsilon();
  limit(std::max(cube_root_of_epsilon() * time_size, resolvable * std::abs(t)), t_dot);
  for (Index j = 0; j < x_dot.size(); ++j) limit(state_step(j), x_dot[j]);
  return std::isfinite(step) && step > 0 ? power_of_two_below(step) : 1.0;
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
