// Whether a problem is another one at other times, seen at the states of a solution.
//
// It must not know orbits.
#pragma once

#include "slideway/model/automaton.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// The largest change of fields, guards, gaps and edges when time goes on by `shift` at the same states, of their size.
double change_by_shift(const Automaton& problem, const Solution& solution, double shift);
// Whether a surface, gap, event or edge is zero at the state, of the size it has on the solution.
bool is_on_surface(const Automaton& problem, const Solution& solution, double t, ConstVectorRef state);

}  // namespace slideway
