// What the event indicators of an FMU tell by differences, found for all of them at once: their slopes, and their rounding.
//
//     ∂zᵢ/∂xⱼ ≈ (zᵢ(x + hⱼ) − zᵢ(x − hⱼ))/(2hⱼ)
//
// The rounding of an indicator is that of its terms, which grow with time and states: a few places tell it until one of these has doubled.
// It must not know the FMU.
#pragma once

#include <functional>
#include <limits>

#include "slideway/core/types.hpp"

namespace slideway::fmi {

class IndicatorDifferences {
 public:
  // Indicators sets all z at (t, x). It may throw std::exception where there are none.
  using Indicators = std::function<void(double t, ConstVectorRef x, VectorRef z)>;

  IndicatorDifferences(Index indicators, Index states);

  // slopes() returns ∂z/∂x there, one row for each indicator. It asks nothing where the place is the last one.
  const Matrix& slopes(const Indicators& of, double t, ConstVectorRef x);
  // noise() returns a bound of the rounding of an indicator, in units of ε, estimated by values beside.
  double noise(const Indicators& of, Index indicator, double t, ConstVectorRef x);
  // forget() says that the indicators are other ones from now on.
  void forget() { at_t_ = std::numeric_limits<double>::quiet_NaN(); }

 private:
  double at_t_ = std::numeric_limits<double>::quiet_NaN();  // where slopes_ were found
  Vector at_x_ = {};
  Matrix slopes_;
  Vector noise_;         // the largest of each indicator so far
  Vector largest_ = {};  // |t| and |x| up to which noise_ serves; empty before the first place
  int places_ = 0;       // at which noise_ has been found up to there
};

}  // namespace slideway::fmi
