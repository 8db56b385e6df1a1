// identify_attractor() tells what an attractor is to which starts have come, by shooting or by its Lyapunov exponent.
//
// It must not know other attractors.
#pragma once

#include "basins/attractor_map.hpp"
#include "basins/follow_start.hpp"
#include "slideway/basins/basins.hpp"

namespace slideway {

BasinAttractor identify_attractor(const AttractorMap& map, const Simulator& simulator,
                                  const FoundAttractor& found);

// is_at_rest() tells whether the map moves this state nowhere in so many rounds, in the place of an iterate.
bool is_at_rest(const AttractorMap& map, const Simulator& simulator, const Iterate& place,
                const Vector& state, Index rounds);

}  // namespace slideway
