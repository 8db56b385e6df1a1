// The guard of an event beside zero: how far from it counts as zero at this instant, and which way the motion carries the guard.
//
//     zero_level = rounding + |dg/dt|·located (+ accumulated tolerances, for an edge at an integrated state)
//
// The second term is of the motion that has led to the instant, and for a guard that fired of the motion that follows as well.
//
// The sign of the first derivative that is not zero within its noise decides (rules/first_motion.hpp).
//
// It must not know what an event does.
#pragma once

#include <limits>
#include <vector>

#include "locate/guard_arming.hpp"
#include "rules/first_motion.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class EventMotion {
 public:
  // The references must outlive it.
  EventMotion(const RunState& now, GuardArming& arming, const Instant& instant, const InstantJumps& jumps)
      : now_(now), arming_(arming), instant_(instant), jumps_(jumps) {}

  // zero_level() tells how far from zero the guard may be and still count as zero, in its units.
  double zero_level(Index event);
  // held_level() tells how far from zero it may be and still count as held there by constraints.
  double held_level(Index event);
  // The sign of the first derivative of s·g along the motion that is not zero, s the side of the event; 0 when it rests. `exact` tells
  // that the state is known to rounding.
  int motion_of(Index event, bool exact, ModeOde& ode);
  // noise_of_rate() tells by how much the rate of the guard along this velocity, of a state known to rounding, may be off.
  double noise_of_rate(Index event, double rate, ConstVectorRef velocity, ModeOde& ode);
  // The events whose guards are zero and move on through it, once the mode is known. The table of guards is told how the others begin.
  std::vector<Index> events_moving_through_zero();
  // The same in a mode that follows without a jump, of conditions that fail at zero and whose guards have been at rest there. The table of
  // guards is told which guards rest in this mode.
  std::vector<Index> events_leaving_rest();
  // Resets that set states of their own guard and leave the guard at zero, while the motion goes on past zero: they do not fire again
  // before the guard has been on its own side. Of the last events_moving_through_zero().
  const std::vector<Index>& left_at_zero() const { return left_at_zero_; }

 private:
  // comes_to_rest() notes that the guard stays at zero in this mode. It returns true if the event fires, since its condition now holds.
  bool comes_to_rest(Index event);
  // held_before() tells that the condition of the event, which holds at zero, has held since before this round: its guard has come to zero
  // from beyond it, and goes back.
  bool held_before(Index event) const;
  bool sets_its_guard(Index event) const;
  double noise_of_rate(Index event, double rate, ConstVectorRef velocity,
                       const std::vector<Displacement>& displacements, ModeOde& ode);
  const Displacement* displacement_of_location();
  std::vector<Displacement> points_not_told_apart(bool exact);

  const RunState& now_;
  GuardArming& arming_;
  const Instant& instant_;
  const InstantJumps& jumps_;
  std::vector<Index> left_at_zero_;
  Vector velocity_, weights_;  // buffers
  Displacement located_;       // of the instant at located_at_
  double located_at_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace slideway
