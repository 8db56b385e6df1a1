// Surfaces and gaps that constraints hold: a closed contact holds the velocity of a block that rests against it, and sliding holds
// the gap between blocks that stick.
//
// It must not know what follows from it.
#pragma once

#include <vector>

#include "simulate/precision.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// The surfaces that do not slide, or all, and whose guards these contacts hold at zero when they are closed.
std::vector<Index> held_by(const RunState& now, const std::vector<Index>& contacts,
                           bool also_sliding = false);

// keeps_its_gap() tells whether the surfaces along which the solution slides hold the velocity of this open gap.
bool keeps_its_gap(const RunState& now, Index contact);

}  // namespace slideway
