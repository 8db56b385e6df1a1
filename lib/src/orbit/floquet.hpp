// Floquet multipliers from a monodromy matrix, those that are exactly 0 or 1 told apart.
//
// It must not know how the matrix was found.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

// The derivative of the state by the state at the begin of the orbit, before and after an event; n × n, of scaled states.
struct Passage {
  Matrix before = {};
  Matrix after = {};
  Index most = 0;  // directions that can be wiped out there
};

// `held` are states that nothing sets. `field` is that at the begin of the orbit where the problem is autonomous, else empty.
std::vector<FloquetMultiplier> floquet_multipliers(const Matrix& monodromy,
                                                   const std::vector<Passage>& passages,
                                                   const std::vector<Index>& held, const Vector& field);

}  // namespace slideway
