// Questions about sliding along surfaces whose speed does not depend on the side:
//     h = 0,  w = ∂h/∂t + ∂h/∂x·f = 0,      λ from dw/dt = 0
// w takes the place of the guards in a system of its own (SystemDefinition::second_order), whose tools follow the solution there.
//
// It must not know when such sliding begins and ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

// "second order", "third order", … of the sliding that these tools follow.
std::string order_of_sliding(const LocationTools& tools);

// The tools of sliding along these surfaces; null where one of them allows none.
LocationTools* second_order_tools(RunState& now, const std::vector<Index>& surfaces);

// has_no_field() tells whether the field has no value where all of these are zero, and yet the solution can stay
// there.
bool has_no_field(RunState& now, const std::vector<Index>& surfaces);

// The state of the run as it is once `coming` have no speed either; nothing where that is too far away to be unseen. The relay takes
// the remaining speed away along its own effect, in a time in which little else changes.
std::optional<Vector> state_in_second_order(RunState& now, LocationTools& tools,
                                            const std::vector<Index>& surfaces,
                                            const std::vector<Index>& coming, Vector& lambda);

// Lists the surfaces that have come to slide since the record was begun.
void list_entered(const RunState& now, EventRecord& record);

// The surfaces along which the solution does not slide in second order any more.
std::vector<Index> ends_of_second_order(const RunState& now);

}  // namespace slideway
