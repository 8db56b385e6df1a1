// One orbit on a branch, with its coordinates: scaled state, scaled period where it is unknown, and parameter.
//
// It must not know how the branch is followed.
#pragma once

#include "slideway/core/types.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

struct BranchPlace {
  Vector u = {};
  double parameter = 0;
  PeriodicOrbit orbit = {};
};

}  // namespace slideway
