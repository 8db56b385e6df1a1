// Whether a guard changes its sign without a zero, and whether the motion leads through: in a pole, as 1/(x − 1) and tan x do, or in a
// jump, as atan2(y, x) where y = 0 > x, and tanh(1/x).
//
// A guard has a pole at t if it is positive before t and negative after it, and grows towards t from both sides: |g| by a factor of at
// least kPoleGrowth from one distance to the next, which is kPoleDistances times nearer. A velocity that grows towards the pole more
// slowly than 1/distance has an integral over it.
//
// It jumps at t if it is positive before t and negative after it, and |g| does not shrink by kPoleGrowth towards t from the farthest
// distance to the nearest on a side: a zero like the eighth root of the distance does.
//
// It must not know what follows from a pole.
#pragma once

#include <algorithm>
#include <vector>

#include "locate/locator.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class PoleCheck {
 public:
  // The references must outlive the check.
  PoleCheck(const RunState& now, Locator& locator) : now_(now), locator_(locator) {}

  // The arrival without guards that change their signs in poles, or surfaces whose guards jump: these go to scanned().poles of the locator.
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
  // stays_beyond() tells whether the motion of the new side keeps the guard of the surface on that side, beyond a jump.
  bool stays_beyond(Index surface, Side side);
  // The guard of this slot, among the poles, jumps there.
  bool jumps(Index slot) const { return std::find(jumps_.begin(), jumps_.end(), slot) != jumps_.end(); }
  // has_finite_integral() tells whether the velocity, on the way to the pole and beyond, grows so slowly towards
  // it that its integral exists.
  bool has_finite_integral(Index surface, Side side);

 private:
  // How a guard that changes its sign at t is on both sides of t.
  enum class Change { zero, pole, jump };
  Change change_at(Index slot, double t);

  const RunState& now_;
  Locator& locator_;
  std::vector<Index> jumps_;
  Vector state_, guards_;  // buffers, for one function at a time
};

}  // namespace slideway
