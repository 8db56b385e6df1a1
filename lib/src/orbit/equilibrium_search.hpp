// find_equilibria() with the sizes of states that the search goes by.
//
// It must not know file formats.
#pragma once

#include "slideway/orbit/equilibria.hpp"

namespace slideway {

struct SearchedEquilibria {
  Equilibria all = {};
  Vector sizes = {};  // n entries, > 0
};

// Throws as find_equilibria.
SearchedEquilibria search_equilibria(const Automaton& problem, const Run& run,
                                     const EquilibriumOptions& options);

}  // namespace slideway
