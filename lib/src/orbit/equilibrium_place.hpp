// The systems that equilibria are looked for in: one per location, and one per pair of locations that a solution slides between.
//
// It must not know how equilibria are found.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// A location, or two that a solution slides between as one system.
struct EquilibriumPlace {
  std::string name = {};
  System system;
  bool joined = false;  // the last surface is that between the two, and is slid along
};

std::vector<EquilibriumPlace> places_of(const Automaton& problem);
// The place of this name; of several pairs of edges between two locations the one whose guard is nearest to zero at (t, x). Throws
// std::invalid_argument where there is none.
EquilibriumPlace place_named(const Automaton& problem, const std::string& name, double t, ConstVectorRef x);

}  // namespace slideway
