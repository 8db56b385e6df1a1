// The guards of events that wait on their own side of zero for a jump to carry them past it (model/event.hpp).
//
// It must not know what an event does.
#pragma once

#include <vector>

#include "rules/event_motion.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// Why an event fires.
enum class Cause {
  zero,    // its guard is zero, and moves in its direction
  jump,    // a jump has carried it past zero
  beyond,  // of an edge: past zero where its location is entered
};

// An event whose guard a jump has carried past zero, or an edge that is past it.
struct Crossed {
  Index event;
  Cause cause;
};

class WaitingGuards {
 public:
  // The references must outlive it.
  WaitingGuards(const RunState& now, const Instant& instant, EventMotion& motion)
      : now_(now), instant_(instant), motion_(motion) {}

  // Notes which guards are on their own side, before anything jumps.
  void look_at_waiting();
  // wait_again() is called after the event's own reset, which is no crossing of its guard.
  void wait_again(Index event);
  std::vector<Crossed> crossed_by_jump();
  // is_zero() tells whether the guard of the event counts as zero.
  bool is_zero(Index event) const;
  // zero_level() is the size up to which it does.
  double zero_level(Index event) const;

 private:
  bool is_on_its_way(const Watched& edge) const;

  const RunState& now_;
  const Instant& instant_;
  EventMotion& motion_;
};

}  // namespace slideway
