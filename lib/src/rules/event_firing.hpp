// The jumps of events: resets and edges that fire, delayed actions, time events, in rounds (model/event.hpp).
//
// Two edges that undo each other, fired one after the other, are no jumps: the solution slides on the guard between their locations as
// one system with a surface does.
//
// It must not know which mode follows.
#pragma once

#include <string>
#include <vector>

#include "log/run_log.hpp"
#include "rules/instant.hpp"
#include "rules/instant_records.hpp"
#include "rules/location_switch.hpp"
#include "rules/waiting_guards.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// Functions that return bool return false when the run is over.
class EventFiring {
 public:
  // The references must outlive it.
  EventFiring(RunState& now, RunLog& log, Instant& instant, InstantJumps& jumps, InstantRecords& records,
              WaitingGuards& waiting, LocationSwitch& locations)
      : now_(now),
        log_(log),
        instant_(instant),
        jumps_(jumps),
        records_(records),
        waiting_(waiting),
        switch_(locations) {}

  // A round of what a jump has carried past zero.
  bool fire_crossed(const std::vector<Crossed>& crossed, bool at_start, std::vector<EventRecord>& records);
  // Resets in their order, then the first edge; with what is due, all by their priorities.
  bool fire_round(const std::vector<Crossed>& jumps, bool at_start, std::vector<EventRecord>& records,
                  const DueActions& due = {});
  // The caller of the run has set the state (given_state.cpp). False where it is not finite.
  bool take_state(const Vector& x, std::vector<EventRecord>& records);
  // Drops the record of that where the mode is the same after it.
  void drop_if_mode_stays(std::vector<EventRecord>& records) const;

  // A stop ends the run before these resets and edges, whose guards have crossed zero: they stay due at this time.
  void leave_undone(const std::vector<Index>& jumps);
  void leave_undone(const std::vector<Crossed>& jumps);
  // Fires events that are due where the run starts.
  bool fire_at_start(std::vector<EventRecord>& records);

  // Two edges that undo each other fired one after the other: slide between their locations.
  bool slide_between(std::size_t first_edge, std::size_t second_edge, std::vector<EventRecord>& records);
  // The surface between the locations no longer holds the solution. `record`, if any, tells where it goes.
  void leave_pair(EventRecord* record);

  // take_sides_of_state() finds the sides by the signs of the guards (or, with `keep`, takes the stored sides),
  // and the surfaces met. It returns false where a guard that is needed has no value.
  bool take_sides_of_state(bool keep, Meeting& meeting);

 private:
  bool fire_by_priority(const std::vector<Crossed>& jumps, bool at_start, std::vector<EventRecord>& records,
                        const DueActions& due);
  bool fire(Index event, bool at_start, std::vector<EventRecord>& records, Cause cause = Cause::zero);
  // An event that two locations share fires once, whichever location it leaves the state in; a jump from one to the other may carry it
  // past zero.
  void carry_fired(const LocationTools& before);

  bool fire_time_event(Index event, bool at_start, std::vector<EventRecord>& records);
  // A delayed event is triggered; `record` is that of its reset.
  bool trigger(Index event, EventRecord&& record, std::vector<EventRecord>& records);
  // A reset or edge that a stop has left undone, if its location is still this one.
  bool fire_undone(const PendingAction& action, bool at_start, std::vector<EventRecord>& records);
  // And acts.
  bool act(const PendingAction& action, std::vector<EventRecord>& records);
  // drop_actions_of() drops the actions of edges that leave this location, which the run has left.
  void drop_actions_of(const std::string& location);
  // The reset of an event of this kind and name, whose exceptions name it.
  Vector state_after(const char* kind, const std::string& name, const ResetFunction& reset);
  // `after` takes the place of the state; false where it is not finite.
  bool set_state(const char* kind, const std::string& name, const Vector& after);

  RunState& now_;
  RunLog& log_;
  Instant& instant_;
  InstantJumps& jumps_;
  InstantRecords& records_;
  WaitingGuards& waiting_;
  LocationSwitch& switch_;
};

}  // namespace slideway
