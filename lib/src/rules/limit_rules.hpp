// The rules of events that come ever faster: whether a series of them is taken to its limit at once, because nothing of what is left can
// be seen, or be told from rounding. In their order:
//     events of surfaces   flights off a surface that nobody sees → crossings of one surface → turns round an intersection
//     impacts              contacts come to rest
//     jumps                resets, edges and impacts
// Each rule looks at the history of the run (history.hpp), in which the last event is noted already, and returns its decision, or none.
//
// It must not know what becomes of a decision.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "log/run_log.hpp"
#include "rules/accumulation.hpp"
#include "rules/contact_rest.hpp"
#include "rules/decision.hpp"
#include "rules/history.hpp"
#include "rules/instant.hpp"
#include "rules/last_jump.hpp"
#include "rules/second_order_rules.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// The solution stays on these surfaces, to which it came by flights too low to be seen.
struct LimitOfFlights {
  std::vector<Index> surfaces;
  Stay stay;
};
// Crossings of one surface accumulate.
struct LimitOfCrossings {
  Index surface = 0;
  Accumulation accumulation;
};
// Turns round the intersection of the surfaces `accumulation.ids` accumulate.
struct LimitOfTurns {
  Accumulation accumulation;
};
// Instants with jumps accumulate.
struct LimitOfJumps {
  Accumulation accumulation;
};

// How the stretch after the event is going to be: like the last one, and as long as that (RestartPolicy::repeat); in fine steps; of a
// length that is predicted (RestartPolicy::expect).
struct NextStretch {
  std::optional<double> repeats = {};
  bool in_fine_steps = false;
  std::optional<double> expected = {};
};

struct LimitDecision {
  NextStretch next = {};
  // Without a value, the series goes on. Rest is that of contacts.
  std::optional<std::variant<End, LimitOfFlights, LimitOfCrossings, LimitOfTurns, LimitOfJumps, Rest>> limit =
      {};
};

class LimitRules {
 public:
  // The references must outlive them. `last_jump` tells what follows the jumps of an instant.
  LimitRules(const RunState& now, const RunLog& log, const History& history,
             const SecondOrderRules& second_order, const Instant& instant, const InstantJumps& jumps,
             const LastJump& last_jump)
      : now_(now),
        log_(log),
        history_(history),
        second_order_(second_order),
        instant_(instant),
        jumps_(jumps),
        last_jump_(last_jump) {}

  // The accuracy of the time of the last jump.
  double accuracy_of_jump() { return last_jump_.accuracy(); }
  // After an event of relays alone.
  LimitDecision after_crossing(const EventRecord& event) const;
  // After impacts alone: these contacts were hit, those of `touching` were touched.
  LimitDecision after_impact(const std::vector<Index>& hit, const std::vector<Index>& touching) const;
  // After an instant with jumps.
  LimitDecision after_jump();

 private:
  void find_unseen_flights(const EventRecord& event, LimitDecision& decision) const;
  void find_crossings(Index surface, LimitDecision& decision) const;
  void find_turns(const EventRecord& event, LimitDecision& decision) const;
  // The flights off the surface shrink: the errors of the steps are to stay smaller than they are.
  void see_flights(Index surface, NextStretch& next) const;
  // Nobody sees the impulse that stops contact `c`.
  bool stops_unseen(Index c) const;
  bool is_unseen(const Rest& rest) const;
  // The rest of contact `c` after an impact, with those beside it that it presses on; `is_tiny` says that rounding hides its next flight.
  std::optional<Rest> rest_together(Index c, bool is_tiny) const;
  std::optional<Rest> rest_alone(Index c, bool is_tiny) const;
  End unresolved(const Bounce& bounce) const;

  const RunState& now_;
  const RunLog& log_;
  const History& history_;
  const SecondOrderRules& second_order_;
  const Instant& instant_;
  const InstantJumps& jumps_;
  LastJump last_jump_;
};

}  // namespace slideway
