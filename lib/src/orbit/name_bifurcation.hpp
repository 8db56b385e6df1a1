// The name of a change of signature by the shortest time between events, where no defining function explains it.
//
// It must not know how the change was located.
#pragma once

#include <string>

#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

struct NamedBifurcation {
  Bifurcation kind = Bifurcation::other;
  std::string reason = {};
};

// name_bifurcation() compares two orbits of different signatures that are close to each other.
NamedBifurcation name_bifurcation(const PeriodicOrbit& one, const PeriodicOrbit& other);

}  // namespace slideway
