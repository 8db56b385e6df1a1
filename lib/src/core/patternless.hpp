// Numbers without a pattern, the same in every run: where a few choices stand in for all, and nothing in a model may fit them.
//
// It must not know what is chosen.
#pragma once

#include <cmath>

#include "slideway/core/types.hpp"

namespace slideway {

// patternless() returns a number in [−1, 1] for entry i of choice k.
inline double patternless(Index i, int k) {
  return std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * (k + 1));
}

}  // namespace slideway
