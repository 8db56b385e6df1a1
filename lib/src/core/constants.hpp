// Limits of doubles that more than one file of the library computes with.
//
// It must not know what is measured by them.
#pragma once

#include <limits>

namespace slideway {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace slideway
