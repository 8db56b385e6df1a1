// Whether a guard changes its sign in a pole, as 1/(x − 1) and tan x do, and whether the motion leads through it.
//
// A guard has a pole at t if it is positive before t and negative after it, and grows towards t from both sides: |g| by a factor of at
// least kPoleGrowth from one distance to the next, which is kPoleDistances times nearer. A velocity that grows towards the pole more
// slowly than 1/distance has an integral over it.
//
// It must not know what follows from a pole.
#pragma once

#include "locate/locator.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class PoleCheck {
 public:
  // The references must outlive the check.
  PoleCheck(const RunState& now, Locator& locator) : now_(now), locator_(locator) {}

  // The arrival without guards that change their signs in poles: these go to scanned().poles of the locator.
  const Arrival& without_poles(const Arrival& arrival);
  // passes_surface() tells whether a surface is among the poles of the arrival.
  bool passes_surface() const;
  // Tells the table of guards which events have poles there.
  void pass_events();
  // The guard of a surface or an event, positive on the side it is on, at t along the last step.
  double guard_of(Index slot, double t);
  // both_fields_lead_on() tells whether the guard of the surface comes back from the pole, on this side of it,
  // with either value of the relay.
  bool both_fields_lead_on(Index surface, Side side);
  // has_finite_integral() tells whether the velocity, on the way to the pole and beyond, grows so slowly towards
  // it that its integral exists.
  bool has_finite_integral(Index surface, Side side);

 private:
  bool is_pole(Index slot, double t);

  const RunState& now_;
  Locator& locator_;
  Vector state_, guards_;  // buffers, for one function at a time
};

}  // namespace slideway
