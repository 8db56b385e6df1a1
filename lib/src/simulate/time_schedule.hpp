// The times of a run at which something is known to happen: its time events, and delayed actions on their way.
//
// It must not know where the solution is, nor what is set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "slideway/model/time_event.hpp"
#include "slideway/simulate/pending_action.hpp"

namespace slideway {

// The actions that are due at one instant, each kind in the order in which it acts.
struct DueActions {
  std::vector<Index> events = {};           // into System::time_events
  std::vector<PendingAction> actions = {};  // delayed

  bool empty() const { return events.empty() && actions.empty(); }
};

class TimeSchedule {
 public:
  // The events must outlive it. `has_begun` tells that time events at the start have happened in an earlier run, except the pending ones.
  TimeSchedule(const std::vector<TimeEvent>& events, std::vector<PendingAction> pending, double start,
               bool has_begun);

  // The first time at which something is due; infinity where nothing is.
  double next() const { return next_; }
  // is_due() tells whether something is due at t, but for rounding.
  bool is_due(double t) const { return next_ <= t + time_rounding(t); }
  // Takes out what is due up to there, which happens now: until then it stays due.
  DueActions take(double t);

  void add(PendingAction action);
  template <class Predicate>
  void drop(const Predicate& predicate) {
    std::erase_if(pending_, predicate);
    find_next();
  }
  // pending() lists actions that a run has left where it ends at t, and time events that are due by then.
  std::vector<PendingAction> pending(double t) const;
  bool has_actions() const { return !pending_.empty(); }
  template <class Predicate>
  bool any_action(const Predicate& predicate) const {
    return std::any_of(pending_.begin(), pending_.end(), predicate);
  }

  // visit_fields() names the fields for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("counts", counts_);
    visit("pending", pending_);
    visit("next", next_);
  }

 private:
  void find_next();
  // pass() counts the times of the event up to t as past; false where there are none.
  bool pass(std::size_t event, double t);

  const std::vector<TimeEvent>& events_;
  std::vector<std::int64_t> counts_;    // by event: the number of its next time
  std::vector<PendingAction> pending_;  // in the order of their times
  double next_ = std::numeric_limits<double>::infinity();
};

}  // namespace slideway
