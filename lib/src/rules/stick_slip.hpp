// Contacts with friction in a plane whose slip has come to zero, or whose friction has come to the bound of what it holds.
//
// It must not know what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

// Contacts that stop to slip or break away at one instant.
struct StickSlip {
  std::vector<Index> turned = {};  // a direction that has only turned is no event
  std::vector<Index> stuck = {};   // those of the arrivals that stuck before
  EventRecord record = {};         // with what was before
};

// turn_stick_slip() stops the slip of those of `arrived` that have come to v = 0, as far as errors tell, and notes those that break away; the
// contacts then decide how they go on (ContactDynamics::staying_closed). It returns nothing where none has arrived.
std::optional<StickSlip> turn_stick_slip(RunState& now, const std::vector<Index>& arrived);

// Lists the contacts that have turned in the record, and says how they go on.
void note_stick_slip(const RunState& now, StickSlip& turn);

}  // namespace slideway
