// Contacts with friction in a plane whose slip has come to zero, or whose friction has come to the bound of what it holds.
//
// It must not know what follows from it.
#pragma once

#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

// Stops the slip of those of `arrived` that have come to v = 0, as far as errors tell, and notes those that break away; the contacts then
// decide how they go on (ContactDynamics::staying_closed). It returns those that do either: a direction that has only turned is no event.
std::vector<Index> turn_grips(RunState& now, const std::vector<Index>& arrived);

// Lists these in the record, and says how they go on.
void note_grips(const RunState& now, const std::vector<Index>& turned, const std::vector<Index>& stuck,
                EventRecord& record);

}  // namespace slideway
