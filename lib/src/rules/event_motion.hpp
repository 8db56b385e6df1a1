// The guard of an event beside zero: how far from it counts as zero at this instant, and which way the motion carries the guard.
//
//     zero_level = rounding + |dg/dt|·located (+ accumulated tolerances, for an edge at an integrated state)
//
// The sign of the first derivative that is not zero within its noise decides (rules/first_motion.hpp).
//
// It must not know what an event does.
#pragma once

#include <vector>

#include "rules/first_motion.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class EventMotion {
 public:
  // The references must outlive it.
  EventMotion(RunState& now, const Instant& instant, const InstantJumps& jumps)
      : now_(now), instant_(instant), jumps_(jumps) {}

  // How far from zero the guard may be and still count as zero, in its units.
  double zero_level(Index event);
  // How far from zero it may be and still count as held there by constraints.
  double held_level(Index event);
  // The sign of the first derivative of s·g along the motion that is not zero, s the side of the event; 0 when it rests. `exact` tells
  // that the state is known to rounding.
  int motion_of(Index event, bool exact);

 private:
  std::vector<Displacement> points_not_told_apart(bool exact);

  RunState& now_;
  const Instant& instant_;
  const InstantJumps& jumps_;
  Vector velocity_, weights_;  // buffers of zero_level()
};

}  // namespace slideway
