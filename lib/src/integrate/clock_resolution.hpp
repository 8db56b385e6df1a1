// Whether a state changes, between a time and the next number after it, by more than its tolerance: |x'|·ε|t| > 1/w. No step is
// short enough then, however smooth the velocity is.
// It must not know which integrator asks.
#pragma once

#include <cmath>
#include <limits>

#include "slideway/core/types.hpp"

namespace slideway {

// `weights` are the reciprocals of what the tolerances allow.
inline bool outruns_clock(double t, ConstVectorRef velocity, ConstVectorRef weights) {
  const double resolution = std::numeric_limits<double>::epsilon() * std::abs(t);
  return velocity.allFinite() && velocity.cwiseProduct(weights).lpNorm<Eigen::Infinity>() * resolution > 1;
}

inline constexpr const char* kOutrunsClock =
    "the state changes by more than its tolerance between this time and the next that double precision "
    "holds: it runs to infinity here, or a threshold that should end its growth is too high; lower that, or "
    "loosen rtol";

// Implicit methods lose accuracy early on the way to infinity: their equations have no small solution there.
inline constexpr const char* kExplicitForExplosions =
    ", or take the method dopri5, which follows such growth longer";

}  // namespace slideway
