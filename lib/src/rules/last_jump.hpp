// The flights that begin with the jumps of the last instant, where their guards are thrown back.
//
// A guard that fires is thrown back against the motion, with speed u and acceleration −a: it is off zero for 2u/a, by u²/2a at most.
// The speeds shrink by r from one such flight to the next. The time of all of them is
//     R = 2u / (a(1 − r)).
//
// It must not know what follows from it.
#pragma once

#include <optional>

#include "locate/locator.hpp"
#include "rules/arrived_guards.hpp"
#include "rules/event_motion.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// A guard that a jump has left at zero, and what is left of its flights off it.
struct Bounce {
  double ratio = 0;        // of the speeds after and before
  double height = 0;       // of the next flight
  double remaining = 0;    // to the limit, where the ratio is below 1
  double error = 0;        // of it
  double flight = 0;       // how long it takes
  bool is_low = false;     // its height is no more than errors of the states may make of it
  bool is_hidden = false;  // the next flight is too low to be told from none
};

class LastJump {
 public:
  // The references must outlive it.
  LastJump(const RunState& now, Locator& locator, const Instant& instant, const InstantJumps& jumps,
           const ArrivedGuards& arrived, EventMotion& motion)
      : now_(now), locator_(locator), instant_(instant), jumps_(jumps), arrived_(arrived), motion_(motion) {}

  // The accuracy of its time: by the clock, and by the rounding of the guards that were zero there.
  double accuracy();
  // The lowest of the flights that begin where only these guards fired; nothing where one of them is not thrown back.
  std::optional<Bounce> bounce();
  // gaps_hardly_open() tells whether the contacts of the last impact open so little until the next one that
  // rounding decides which it will be.
  bool gaps_hardly_open();

 private:
  // bounce_of() returns nothing where the guard of the event is not thrown back, or is thrown back ever faster.
  std::optional<Bounce> bounce_of(Index event);

  const RunState& now_;
  Locator& locator_;
  const Instant& instant_;
  const InstantJumps& jumps_;
  const ArrivedGuards& arrived_;
  EventMotion& motion_;
};

}  // namespace slideway
