// Contacts whose gaps are zero at an instant, as far as rounding and the errors of the run tell.
//
// It must not know what follows from it.
#pragma once

#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

// The contacts that touch, in order. Throws std::runtime_error where a reset (`was_reset`) has put the state behind a gap by more than
// errors.
std::vector<Index> touching_contacts(const RunState& now, bool was_reset);

// Moves the state onto the gaps of these contacts, by no more than it takes.
void put_on_gaps(RunState& now, const std::vector<Index>& contacts);

// only_touches() tells whether the gap that closes opens again by itself. It follows a parabola, whose lowest
// point is within the rounding of the terms of the gap along the last step.
bool only_touches(const RunState& now, Index contact);

}  // namespace slideway
