// Neville's extrapolation: the value at `size` of the polynomial through the last `count` of some values, each known at a size.
//
// It must not know what the values mean.
#pragma once

#include <cstddef>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

struct SizedValue {
  double size;  // all differ
  Vector value;
};

inline Vector extrapolate(const std::vector<SizedValue>& known, std::size_t count, double size) {
  const std::size_t first = known.size() - count;
  std::vector<Vector> values;
  for (std::size_t k = first; k < known.size(); ++k) values.push_back(known[k].value);
  for (std::size_t level = 1; level < count; ++level)
    for (std::size_t k = 0; k + level < count; ++k) {
      const double a = known[first + k].size, b = known[first + k + level].size;
      values[k] = ((size - b) * values[k] - (size - a) * values[k + 1]) / (a - b);
    }
  return values.front();
}

}  // namespace slideway
