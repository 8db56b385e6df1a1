// The rules where the state or the location is new, in their order:
//     what fires without end stops → guards past zero fire → contacts hit → the mode is found → guards fire through which the motion carries the state
// Each rule looks at the run and returns its decision, or none. State, location and mode stay as they are; the table of guards learns on
// which sides they are.
//
// It must not know what becomes of a decision.
#pragma once

#include <vector>

#include "log/run_log.hpp"
#include "rules/decision.hpp"
#include "rules/event_motion.hpp"
#include "rules/instant.hpp"
#include "rules/waiting_guards.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class SettleRules {
 public:
  // The references must outlive it.
  SettleRules(const RunState& now, const Instant& instant, WaitingGuards& waiting, EventMotion& motion,
              const RunLog& log)
      : now_(now), instant_(instant), waiting_(waiting), motion_(motion), log_(log) {}

  // decide() asks the rules, those that serve how much is known at the instant.
  Decision decide();

 private:
  Decision fires_without_end();
  Decision fires_past_zero();
  Decision hits();
  Decision fires_through_zero();
  Guard guard_between(const std::vector<Index>& due) const;

  const RunState& now_;
  const Instant& instant_;
  WaitingGuards& waiting_;
  EventMotion& motion_;
  const RunLog& log_;
};

}  // namespace slideway
