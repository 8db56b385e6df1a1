// Whether a problem is another one at other times, seen at the states of a solution.
//
// It must not know orbits.
#pragma once

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// The largest change of fields, guards, gaps, edges and resets, of their size, when time and the states that `clocks` is 1 at go on by
// `shift`, and the other states stay.
double change_by_shift(const Automaton& problem, const Solution& solution, double shift,
                       const Vector& clocks);
// depends_on_time() tells whether any such shift changes them.
bool depends_on_time(const Automaton& problem, const Solution& solution, const Vector& clocks);
// is_on_surface() tells whether a surface, gap, event or edge is zero at the state, of the size it has on the
// solution.
bool is_on_surface(const Automaton& problem, const Solution& solution, double t, ConstVectorRef state);

}  // namespace slideway
