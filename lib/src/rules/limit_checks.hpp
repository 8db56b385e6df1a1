// Questions about the limit of a series of events: how much is left of it, and whether that can be seen.
//
// It must not know what follows at the limit.
#pragma once

#include <vector>

#include "rules/accumulation.hpp"
#include "rules/event_series.hpp"
#include "simulate/run_state.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway {

// hardly_takes_time() tells whether flights that take this interval are so short that they can hardly be told from
// none, or what is left of them all.
bool hardly_takes_time(const RunState& now, double interval, double remaining);

// hardly_moves() tells whether nothing visible happens in this time: the motion is far below the tolerances.
bool hardly_moves(const RunState& now, double time);

// hardly_leaves() tells whether one of the surfaces is left so little in a turn that rounding decides when it is
// met again.
bool hardly_leaves(const RunState& now, const EventSeries& turns, const Accumulation& accumulation);

// The surfaces that take part in the last so many events of relays, sorted.
std::vector<Index> surfaces_of_turn(const EventLog& events, std::size_t period);

// Adds to the error of the limit what rounding and the tolerances make of the times at which the surfaces of the event are met.
void add_errors_of_surfaces(const RunState& now, const EventRecord& event, Accumulation& accumulation);

// The limit of the states of these numbers that resets change, one by one, from x after the last jump and the state before it; the
// others stay. The changes of a state that a reset multiplies are a geometric series, whatever its ratio is. One that changes as much
// every time, as a counter does, has no limit and stays.
Vector limit_of_jumped(const Vector& x, const Vector& before_jump, const EventSeries& jumps,
                       const Accumulation& accumulation, const std::vector<Index>& states);

}  // namespace slideway
