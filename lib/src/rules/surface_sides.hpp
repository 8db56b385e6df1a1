// The sides of the surfaces at a state that is new, by the signs of their guards, and the surfaces whose guards are zero there.
//
// It must not know which mode follows.
#pragma once

#include <vector>

#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

struct Sides {
  // A guard that has no value though its relay takes part in the motion; surface −1 for none.
  struct WithoutValue {
    Index surface = -1;
    double guard = 0;
  };
  Mode mode = {};
  std::vector<Met> met = {};  // surfaces whose guards are zero
  WithoutValue without_value = {};
};

// find_sides() tells the sides by the signs of the guards; with `keep`, only surfaces that slid change theirs.
Sides find_sides(const RunState& now, const Instant& instant, bool keep);

// Of these surfaces the ones that take no part in the motion: they stand in branches that do not hold, whichever sides the others of the
// list take.
std::vector<Index> out_of_force(const RunState& now, const std::vector<Met>& met);
// has_branches() tells whether there are branches at all: out_of_force() names no surface elsewhere.
bool has_branches(const RunState& now);

// The first surface whose guard h(i) has no value though its relay takes part in the motion of this mode; −1 where there is none.
Index needed_without_value(const RunState& now, const Mode& mode, ConstVectorRef h);

// States that follow from the others are set by what a jump has made of these.
void follow_others(const System& system, double t, VectorRef x);

// The first state whose derivative is what was there before the field was asked, or is made of it; −1 if there is none. A field that
// throws, or has no value, on this side of the guards h is judged by the run.
Index derivative_never_set(const RunState& now, ConstVectorRef h);

}  // namespace slideway
