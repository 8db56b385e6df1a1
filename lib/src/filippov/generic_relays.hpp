// Values of λ without a pattern, at which functions of λ that differ anywhere differ, for all files of SlidingSolver.
//
// It must not know what is compared.
#pragma once

#include <cmath>

#include "slideway/core/types.hpp"

namespace slideway {

// generic_relay() returns λ of the k-th sliding relay; the golden angle in radians keeps the numbers apart for any
// count.
inline double generic_relay(Index k) { return 0.7 * std::sin(0.6 + 2.39996 * static_cast<double>(k)); }

// Changes of D with λ, in units of its size, that are rounding.
inline constexpr double kSameEffects = 1e-9;

}  // namespace slideway
