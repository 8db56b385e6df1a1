// The name of a change of signature, by the quantity that vanishes at it: the time between two events, or the jump of an impact.
//
// It must not know how the change was located.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

// A quantity of orbits of one signature that vanishes at the change. `event` counts the events that change something.
struct VanishingQuantity {
  bool is_jump = false;   // of an impact; else the time from `event` to the next one, round the orbit
  bool of_other = false;  // the second of the two orbits has it, not the first
  std::size_t event = 0;

  // Returns a number ≥ 0, or nothing where the orbit has no such event.
  std::optional<double> of(const PeriodicOrbit& orbit) const;
};

struct NamedBifurcation {
  Bifurcation kind = Bifurcation::other;
  std::string reason = {};
  std::optional<VanishingQuantity> vanishing = {};  // empty where none is found
};

// name_bifurcation() compares two orbits of different signatures that are close to each other.
NamedBifurcation name_bifurcation(const PeriodicOrbit& one, const PeriodicOrbit& other);

}  // namespace slideway
