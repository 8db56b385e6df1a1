// Whether all numbers of a vector are finite, as fast as they can be read: that is asked of every velocity.
//
// It must not know what the numbers mean.
#pragma once

#include <cmath>
#include <limits>

#include "slideway/core/types.hpp"

namespace slideway {

inline bool all_finite(ConstVectorRef numbers) {
  constexpr Index few = 8;
  if (numbers.size() > few) {
    // Zero times what is not finite is not a number.
    return (numbers.array() * 0.0).sum() == 0.0;
  }
  for (Index i = 0; i < numbers.size(); ++i) {
    if (!(std::abs(numbers[i]) <= std::numeric_limits<double>::max())) return false;
  }
  return true;
}

}  // namespace slideway
