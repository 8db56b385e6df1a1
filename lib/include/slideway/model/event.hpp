// Events where a guard crosses zero, beside the switching surfaces: a reset moves the state, a stop ends the run,
// a record notes the crossing.
//
//     x⁺ = R(t, x⁻)   when g crosses zero in its direction, on the half-open interval (t₀, t*]
//
// Each crossing fires once. A guard that is 0 at the start or after a jump and moves in its direction fires at once.
//
// A jump crosses, too: a guard that a reset, an impact or an edge carries past zero in its direction fires in the same instant.
// One instant is a sequence of rounds:
//     round 1      what the flow has brought to zero;
//     round k + 1  what was on its own side before round k, or after its own reset in it, and is beyond zero after round k.
// A guard fires at most once in a round, and what has crossed fires, even if another reset of its round carries it back. Its own
// reset is no crossing of it. Within a round records come first, then stops, then resets, each kind in the order of the list:
// records and stops see the state that the rounds before have left. An instant ends where nothing has crossed; where it goes on for
// more than 1000 rounds in which something fires again, the run ends as `chattering`.
// An event without `across_jumps` fires by the flow alone: a jump past its zero is no crossing of it.
// At the start of a run one that is beyond zero already waits for a crossing, unless `initially` says otherwise.
//
// With a delay τ a reset acts at the time of its crossing plus τ, of which any number may be on their way. Like the times of
// model/time_event.hpp that time is exact. It sets what R makes of the state at the crossing, or of that at the time when it acts.
// It must not know surfaces.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/guard.hpp"

namespace slideway {

enum class Direction { rising, falling, any };

// Initially decides what happens to a guard that, at the start of a run, is beyond zero in its direction, or is
// zero and moves there. By the rule an event fires in the second case, and an edge in both. `fire` fires in both
// cases, `wait` in neither: the event waits until the guard has been on its own side.
enum class Initially { by_rule, fire, wait };

// AtZero tells whether the condition of an event holds where its guard is zero, as that of h >= 1 does, and that of h > 1 does not. It
// matters where the guard comes to zero and rests there, since the state slides or stands still.
//     holds      fires where the guard comes to zero, and not where it goes on from there in its direction
//     fails      does not fire where the guard comes to zero and rests; fires where it leaves zero in its direction
//     unknown    the guard is no condition: it fires where it comes to zero
enum class AtZero : unsigned char { unknown, holds, fails };

enum class Action { reset, stop, record };

// after = R(t, before); `after` arrives as a copy of `before`, so states that are not set keep their value.
using ResetFunction = std::function<void(double t, ConstVectorRef before, VectorRef after)>;

// The state from which a delayed action computes what it sets.
enum class DelayedValues { trigger, execution };

struct Delay {
  double time = 0;  // ≥ 0
  DelayedValues values = DelayedValues::trigger;
  // The states that the reset sets, needed with the values of the trigger: the others are as they are when it acts.
  std::vector<Index> sets = {};
};

struct Event {
  std::string name = {};  // for the event log; may be empty
  Guard when = {};        // required
  Direction direction = Direction::any;
  Action action = Action::record;
  ResetFunction reset = {};                  // required for Action::reset
  bool across_jumps = true;                  // fires where a jump carries `when` past zero, too
  Delay delay = {};                          // of resets
  int priority = 0;                          // among the jumps of one instant, the highest first
  Initially initially = Initially::by_rule;  // `fire` is for a rising or falling guard
  AtZero at_zero = AtZero::unknown;          // for a rising or falling guard
  Guard holds_at_zero =
      {};  // in place of `at_zero`, if set: the condition holds at zero where this is above zero
  // Optional, for large systems: the states that `reset` reads or sets. All others are as good as not there.
  std::optional<std::vector<Index>> touches = {};
};

}  // namespace slideway
