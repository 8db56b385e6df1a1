// Whether all numbers of a vector are finite, as fast as they can be read: that is asked of every velocity.
//
// It must not know what the numbers mean.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

// Zero times what is not finite is not a number.
inline bool all_finite(const double* numbers, Index size) {
  constexpr Index few = 8;
  if (size > few) return (Eigen::Map<const Vector>(numbers, size).array() * 0.0).sum() == 0.0;
  double sum = 0;
  for (Index i = 0; i < size; ++i) sum += 0.0 * numbers[i];
  return sum == 0.0;
}
// Of a vector or a reference to one, without a copy.
template <class VectorLike>
bool all_finite(const VectorLike& numbers) {
  return all_finite(numbers.data(), numbers.size());
}

}  // namespace slideway
