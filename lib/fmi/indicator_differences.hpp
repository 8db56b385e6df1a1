// IndicatorDifferences evaluates the guards gᵢ of all event indicators of an FMU at places beside (t, x), and finds from these values the slopes
// and the rounding of each guard. An FMU answers for all of its indicators in one call, so that one set of places serves all guards.
//
//     ∂gᵢ/∂xⱼ ≈ (gᵢ(x + hⱼ) − gᵢ(x − hⱼ))/(2hⱼ)
//
// The rounding of a guard is that of its terms, which grow with time and states. The class therefore finds the rounding at a few places, and
// again when the time or a state has doubled.
// It must not know the FMU.
#pragma once

#include <functional>
#include <limits>

#include "slideway/core/types.hpp"

namespace slideway::fmi {

class IndicatorDifferences {
 public:
  // Guards sets the guards of all indicators at (t, x). It may throw std::exception where there are none.
  using Guards = std::function<void(double t, ConstVectorRef x, VectorRef guards)>;

  IndicatorDifferences(Index indicators, Index states);

  // slopes() returns ∂g/∂x there, one row for each indicator. It evaluates nothing where the place is the last one.
  const Matrix& slopes(const Guards& of, double t, ConstVectorRef x);
  // noise() returns a bound of the rounding of a guard, in units of ε.
  double noise(const Guards& of, Index indicator, double t, ConstVectorRef x);
  // forget() says that the guards are other functions from now on.
  void forget() { at_t_ = std::numeric_limits<double>::quiet_NaN(); }

 private:
  double at_t_ = std::numeric_limits<double>::quiet_NaN();  // where slopes_ were found
  Vector at_x_ = {};
  Matrix slopes_;
  // The largest two of what has been found for each guard: a place beside a jump of the guard gives one that is no rounding.
  Vector noise_, second_noise_;
  Vector served_ = {};  // |t| and |x| up to which they serve; empty before the first place
  int places_ = 0;      // at which they have been found up to there
  bool is_first_ = true;
};

}  // namespace slideway::fmi
