#include "simulate/time_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace slideway {

namespace {

// Resets and edges that a stop has left undone come before delayed actions that are due at the same time.
bool is_earlier(const PendingAction& one, const PendingAction& other) {
  const bool has_crossed = one.by == BroughtBy::crossing && other.by != BroughtBy::crossing;
  return one.t != other.t ? one.t < other.t : has_crossed;
}

}  // namespace

TimeSchedule::TimeSchedule(const std::vector<TimeEvent>& events, std::vector<PendingAction> pending,
                           double start, bool has_begun)
    : events_(events), pending_(std::move(pending)) {
  for (const TimeEvent& event : events_) counts_.push_back(event.first_from(start));
  for (std::size_t k = 0; has_begun && k < events_.size(); ++k) {
    const auto is_of_event = [k](const PendingAction& one) {
      return one.by == BroughtBy::clock && one.of == k;
    };
    if (std::none_of(pending_.begin(), pending_.end(), is_of_event)) pass(k, start);
  }
  // The clock knows its events.
  std::erase_if(pending_, [](const PendingAction& one) { return one.by == BroughtBy::clock; });
  std::stable_sort(pending_.begin(), pending_.end(), is_earlier);
  find_next();
}

bool TimeSchedule::pass(std::size_t event, double t) {
  const TimeEvent& one = events_[event];
  std::int64_t& count = counts_[event];
  const double until = t + time_rounding(t);
  if (!(one.time(count) <= until)) return false;
  // A period below the resolution of the clock has several times here.
  count = std::max(count + 1, one.first_from(until));
  while (one.time(count) <= until) ++count;
  return true;
}

void TimeSchedule::find_next() {
  next_ = pending_.empty() ? std::numeric_limits<double>::infinity() : pending_.front().t;
  for (std::size_t k = 0; k < events_.size(); ++k) next_ = std::min(next_, events_[k].time(counts_[k]));
}

DueActions TimeSchedule::take(double t) {
  DueActions due;
  const double until = t + time_rounding(t);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (pass(k, t)) due.events.push_back(static_cast<Index>(k));
  }
  const auto later = std::find_if(pending_.begin(), pending_.end(),
                                  [until](const PendingAction& action) { return action.t > until; });
  due.actions.assign(std::make_move_iterator(pending_.begin()), std::make_move_iterator(later));
  pending_.erase(pending_.begin(), later);
  find_next();
  return due;
}

std::vector<PendingAction> TimeSchedule::pending(double t) const {
  std::vector<PendingAction> all = pending_;
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const double due = events_[k].time(counts_[k]);
    if (due <= t + time_rounding(t)) all.push_back({.t = due, .by = BroughtBy::clock, .of = k});
  }
  return all;
}

void TimeSchedule::add(PendingAction action) {
  pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), action, is_earlier), std::move(action));
  find_next();
}

}  // namespace slideway
