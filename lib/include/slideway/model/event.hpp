// What happens where a guard crosses zero, beside the switching surfaces: a reset moves the state, a stop ends the run,
// a record notes the crossing.
//
//     x⁺ = R(t, x⁻)   when g crosses zero in its direction, on the half-open interval (t₀, t*]
//
// Each crossing fires once. A guard that is 0 at the start or after a reset and moves in its direction fires at once.
// Of several at one instant, records come first, then stops, then resets, each kind in the order of the list; records and
// stops see the state before the resets.
// It must not know surfaces.
#pragma once

#include <functional>
#include <string>

#include "slideway/model/guard.hpp"

namespace slideway {

enum class Direction { rising, falling, any };

enum class Action { reset, stop, record };

// after = R(t, before); `after` arrives as a copy of `before`, so states that are not set keep their value.
using ResetFunction = std::function<void(double t, ConstVectorRef before, VectorRef after)>;

struct Event {
  std::string name = {};  // for the event log; may be empty
  Guard when = {};        // required
  Direction direction = Direction::any;
  Action action = Action::record;
  ResetFunction reset = {};  // required for Action::reset
};

}  // namespace slideway
