// The known times of a problem on an orbit: when all of them have come round, and which discrete states hold times.
//
//     times of event i:  oᵢ + k·Pᵢ,        common period P:  P/Pᵢ is an integer for all i
//
// A discrete state that holds a time, such as that of the last sample, is a clock: on an orbit it grows by the period in every
// round, and the equations are the same for (t + s, x + s·e), e the vector of ones at clocks.
// It must not know how orbits are found.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// is_multiple() tells whether a time is k times another one, k = 1, 2, …, but for this part of itself.
bool is_multiple(double time, double of, double allowed);
// Refuses a period after which the time events from `start` on are others. `where` is for the message.
void check_schedule(const Automaton& problem, double start, double period, const char* where);
// acts_at_known_times() tells whether time events act from `start` on.
bool acts_at_known_times(const Automaton& problem, double start);
// is_near_known_time() tells whether a time event is so near to t that rounding may put it on either side.
bool is_near_known_time(const Automaton& problem, double t);
// The first time from which all periodic time events act; minus infinity without any.
double schedule_start(const Automaton& problem);

// clocks_of() marks the discrete states that grow by the period along one round: 1 at clocks and 0 elsewhere, n
// entries.
Vector clocks_of(const Automaton& problem, const Solution& round);
// The discrete states that nothing sets along one round.
std::vector<Index> held_states_of(const Automaton& problem, const Solution& round);

}  // namespace slideway
