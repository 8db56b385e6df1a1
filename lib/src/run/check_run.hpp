// The checks of a run before it begins.
//
// It must not know how a run is followed.
#pragma once

#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

// Throws std::invalid_argument for a start that does not fit the system.
void check_run(const Automaton& automaton, const Options& options, const Run& run);

}  // namespace slideway
