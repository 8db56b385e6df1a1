// The records of one instant and the rounds in which its events fire, on their way to the log.
//
// It must not know what an event does.
#pragma once

#include <vector>

#include "log/run_log.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// Each member of a jump has a number of its own: an edge its index, the others theirs from these on.
inline constexpr Index kEventMembers = 1'000'000;
inline constexpr Index kDelayedMembers = 1'500'000;  // delayed actions, as they act
inline constexpr Index kContactMembers = 2'000'000;
inline constexpr Index kTriggeredMembers = 2'500'000;  // delayed events, as they are triggered
inline constexpr Index kTimeMembers = 3'000'000;       // time events

class InstantRecords {
 public:
  // The references must outlive it.
  InstantRecords(RunState& now, RunLog& log, Instant& instant, InstantJumps& jumps)
      : now_(now), log_(log), instant_(instant), jumps_(jumps) {}

  // The log's record of an event that is a record or a stop.
  EventRecord note(Index event, EventKind kind, int round = 1);
  // The run ends with a stop.
  void finish_stopped(Index event);

  // Hands the records of the instant to the log, those that are not yet there.
  void publish();
  // The same where an exception has ended the instant.
  void publish_what_happened();

  // A member of the jump has fired; its number is its own.
  void note_member(Index what);
  void begin_round();

 private:
  RunState& now_;
  RunLog& log_;
  Instant& instant_;
  InstantJumps& jumps_;
};

}  // namespace slideway
