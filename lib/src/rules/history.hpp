// What a run remembers of its events, in series: each says what it is of, when it is noted and when it begins anew. What a series
// points to is a function of its events alone (accumulation.hpp).
//
// It must not know where the solution is, nor what follows.
#pragma once

#include "rules/accumulation.hpp"
#include "rules/bounce_watch.hpp"
#include "rules/event_series.hpp"
#include "rules/flight_watch.hpp"
#include "rules/instant.hpp"
#include "rules/quiet_arrivals.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway {

struct History {
  EventSeries jumps;      // instants with jumps, since a limit was reached
  EventSeries turns;      // events of surfaces, since something else happened
  EventSeries crossings;  // of one surface, since something else happened
  EventSeries records;    // all that are in the log
  QuietArrivals quiet;    // since the last record
  BounceWatch bounces;    // of each contact
  FlightWatch flights;    // off each surface, between crossings of it

  explicit History(Index contacts = 0);

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("jumps", jumps);
    visit("turns", turns);
    visit("crossings", crossings);
    visit("records", records);
    visit("quiet", quiet);
    visit("bounces", bounces);
    visit("flights", flights);
  }
};

// ---- instants with jumps

// `before` may be empty.
JumpPart part_of(const InstantJumps& jumps, const Vector& before, const Vector& x);
// part_of() gathers what takes part in all these instants; contacts and states are sorted.
JumpPart part_of(EventSpan jumps, const Accumulation& accumulation);
// Notes the jumps at t from `before` to x. The time is located to `accuracy`, and is off by no more than `error` for the errors that the run
// has made so far.
void note_jump(EventSeries& series, double t, const InstantJumps& jumps, const Vector& before,
               const Vector& x, double accuracy, double error);

// ---- turns round an intersection: events of several surfaces that repeat each other in the same order

// takes_part_in_turns() tells whether events of this kind make up a turn.
bool takes_part_in_turns(EventKind kind);
bool crosses_one(const EventRecord& event);
// Notes such an event at t, known to `accuracy`, with the mode and the state after it.
void note_turn(EventSeries& turns, double t, const EventRecord& event, const Mode& after, const Vector& x,
               double accuracy);
bool are_only_crossings(const EventSeries& turns);
// may_accumulate() tells whether the last turn was so much shorter than the one before that they may come to a
// limit. Stick and slip may come ever faster for a while without doing so.
bool may_accumulate(const EventSeries& turns);

// ---- crossings of one surface

// Notes a crossing at t, with the state there. A crossing of another surface begins the series anew.
void note_crossing(EventSeries& crossings, double t, Index surface, const Vector& x);

// ---- no progress

// The time that the last so many events took; infinite where there have not been more.
double span_of_last(EventSpan events, std::size_t count);

}  // namespace slideway
