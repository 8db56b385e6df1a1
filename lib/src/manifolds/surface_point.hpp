// States on the surfaces that are slid along, from states beside them.
//
// It must not know manifolds.
#pragma once

#include <string>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/automaton.hpp"

namespace slideway {

// Moves the state by the shortest way, in sizes of the states, to where all surfaces that the mode slides along are zero. A location
// that is not known leaves it as it is.
void put_on_surfaces(const Automaton& problem, const std::string& location, const Mode& mode, double t,
                     const Vector& sizes, Vector& state);

}  // namespace slideway
