// Points beside a state at which a guard is asked for its noise: what larger terms that cancel within it leave of rounding, of which
// its gradient g tells nothing. With points x + δ about as near as the zero of h, |δⱼ| ≤ |h|/Σ|g|,
//     noise = max |h(x + δ) − h(x) − g·δ|.
//
// It must not know whose guard it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/patternless.hpp"

namespace slideway::noise_probe {

constexpr int points = 8;

// reach() is the largest δⱼ, at least a few units in the last place of the state.
inline double reach(double h, double sum_of_slopes, double state) {
  constexpr double least = 8 * std::numeric_limits<double>::epsilon();
  return std::max(std::abs(h) / sum_of_slopes, least * std::abs(state));
}

// δⱼ in parts of that.
inline double part(Index state, int point) { return patternless(state, point); }

// is_noise() tells whether a guard is no larger than its noise.
inline bool is_noise(double h, double noise) {
  constexpr double most = 4;
  return std::abs(h) <= most * noise;
}

}  // namespace slideway::noise_probe
