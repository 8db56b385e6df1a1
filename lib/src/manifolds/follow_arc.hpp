// follow_arc() follows one run as a piece of a manifold until its arclength is the length that is asked, and samples it by its curvature.
//
// It must not know where a piece begins.
#pragma once

#include "slideway/core/types.hpp"
#include "slideway/manifolds/manifold_arc.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

struct ArcQuestion {
  Run run = {};             // where it begins; its end is not used
  double begin_length = 0;  // the arclength there
  double length = 1;        // > begin_length, at which it ends
  double most_time = 1;     // > 0
  double rest_time = 1;     // > 0: a state that changes by less than 1e-9 of its size within this time rests
  double angle = 0.1;
  double time_sign = 1;  // -1 where the problem is reversed
  Vector sizes = {};
};

struct FollowedArc {
  ManifoldArc arc = {};  // points, events, end and message
  Solution solution = {};
  double end_time = 0;  // of the run, at the last point
};

// The options of such runs: those that a caller may choose.
Options arc_options(const Options& asked);

// `options` are those of arc_options. Throws what Simulator throws.
FollowedArc follow_arc(const Automaton& problem, const Options& options, const ArcQuestion& question);

}  // namespace slideway
