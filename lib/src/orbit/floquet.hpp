// Floquet multipliers from a monodromy matrix, those that are exactly 0 or 1 told apart.
//
// It must not know how the matrix was found.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

// The derivative of the state by the state at the begin just after an event of the orbit, and the directions that
// are wiped out there: one for every surface that slides, two for every closed contact.
struct WipedOut {
  Matrix derivative = {};  // n × n
  Index directions = 0;
};

// `field` is that at the begin of the orbit where the problem is autonomous, else empty.
std::vector<FloquetMultiplier> floquet_multipliers(const Matrix& monodromy,
                                                   const std::vector<WipedOut>& events, const Vector& field);

}  // namespace slideway
