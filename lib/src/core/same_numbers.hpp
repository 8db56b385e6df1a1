// Whether two vectors hold the same numbers, bit by bit: whether what was computed at one of them is known at the other.
//
// It must not know what the numbers mean.
#pragma once

#include <cstring>

#include "slideway/core/types.hpp"

namespace slideway {

// are_same() takes vectors or references to them, without a copy.
template <class One, class Other>
bool are_same(const One& a, const Other& b) {
  if (a.size() != b.size()) return false;
  const double* const first = a.data();
  const double* const second = b.data();
  // A call takes longer than few numbers do.
  constexpr Index few = 8;
  if (a.size() > few)
    return std::memcmp(first, second, static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
  for (Index i = 0; i < a.size(); ++i) {
    if (std::memcmp(first + i, second + i, sizeof(double)) != 0) return false;
  }
  return true;
}

}  // namespace slideway
