// Turns round an intersection of surfaces that come ever faster: events of several surfaces that repeat each other in the same order.
//
// It must not know where the surfaces are, nor what follows from the limit that the turns come to. Crossings of one surface alone are
// no turns (see SingleSurfaceAccumulation).
#pragma once

#include <optional>

#include "rules/accumulation_watch.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway {

class CycleDetector {
 public:
  // Whether events of this kind make up a turn.
  static bool takes_part(EventKind kind) {
    return kind == EventKind::crossing || kind == EventKind::sliding_entry ||
           kind == EventKind::sliding_exit || kind == EventKind::corner;
  }
  static bool crosses_one(const EventRecord& event) {
    return event.kind == EventKind::crossing && event.surfaces.size() == 1;
  }

  // Notes such an event at t, known to `accuracy`, with the mode and the state after it.
  void note(double t, const EventRecord& event, const Mode& after, const Vector& x, double accuracy = 0);
  // Something else happened between the events.
  void clear();

  // The time between the last two events.
  double interval() const { return interval_; }
  // Whether all since the last clear() were crossings of single surfaces.
  bool only_crossings() const { return only_crossings_; }
  // Whether the last turn was so much shorter than the one before that they may come to a limit. Stick and slip may come ever faster
  // for a while without doing so.
  bool may_accumulate() const;
  std::optional<Accumulation> limit() const { return events_.limit(); }
  std::optional<Accumulation> limit_of_two_turns() const { return events_.limit_of_two_turns(); }
  // The state after the event so many before the last; of a turn that a limit was found from.
  const Vector& state(std::size_t back) const { return events_.state(back); }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("events", events_);
    visit("only_crossings", only_crossings_);
    visit("last", last_);
    visit("interval", interval_);
  }

 private:
  AccumulationWatch events_{{3, 4, 5, 6, 8, 12}, 2, false};
  bool only_crossings_ = true;
  double last_ = 0;
  double interval_ = 0;
};

}  // namespace slideway
