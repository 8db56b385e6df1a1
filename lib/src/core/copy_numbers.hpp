// Copies of vectors as fast as memory allows: at every event there are some of all states.
//
// It must not know what the numbers mean.
#pragma once

#include <cstring>

#include "slideway/core/types.hpp"

namespace slideway {

// copy_numbers() takes vectors or references to them, which do not overlap; a Vector takes the size it needs.
template <class From, class To>
void copy_numbers(const From& from, To&& to) {
  const Index size = from.size();
  if (to.size() != size) to.resize(size);
  const double* const source = from.data();
  double* const target = to.data();
  // A call takes longer than few numbers do.
  constexpr Index few = 8;
  if (size > few) {
    std::memcpy(target, source, static_cast<std::size_t>(size) * sizeof(double));
    return;
  }
  for (Index i = 0; i < size; ++i) target[i] = source[i];
}

}  // namespace slideway
