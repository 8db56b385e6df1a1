// Whether all numbers of a vector are finite, as fast as they can be read: that is asked of every velocity.
//
// It must not know what the numbers mean.
#pragma once

#include <cmath>
#include <limits>

#include "slideway/core/types.hpp"

namespace slideway {

// Few numbers have only just been written, and are read one by one: to read several at a time would wait for that.
inline bool all_finite(const double* numbers, Index size) {
  constexpr Index few = 8;
  // Zero times what is not finite is not a number.
  if (size > few) return (Eigen::Map<const Vector>(numbers, size).array() * 0.0).sum() == 0.0;
  for (Index i = 0; i < size; ++i) {
    if (!(std::abs(numbers[i]) <= std::numeric_limits<double>::max())) return false;
  }
  return true;
}
// all_finite() takes a vector or a reference to one, without a copy.
template <class VectorLike>
bool all_finite(const VectorLike& numbers) {
  return all_finite(numbers.data(), numbers.size());
}

}  // namespace slideway
