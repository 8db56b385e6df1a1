// Problems whose last state is the number of what holds between two events, as those of FMUs are: it counts on, no solution comes back to it,
// and a solution that begins elsewhere has numbers of its own.
//
// It must not know FMUs.
#pragma once

#include <string>

#include "slideway/model/automaton.hpp"

namespace slideway {

// The number of such states, 0 or 1. It is known by the resets (DifferentiableReset::of_numbered_states).
Index numbered_states(const Automaton& problem);

// Throws std::invalid_argument for such a problem; `what`, as "periodic orbits", is not found.
void refuse_numbered_states(const Automaton& problem, const std::string& what);

}  // namespace slideway
