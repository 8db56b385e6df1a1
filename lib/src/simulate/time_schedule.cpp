#include "simulate/time_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace slideway {

namespace {

bool is_earlier(const PendingAction& one, const PendingAction& other) { return one.t < other.t; }

}  // namespace

TimeSchedule::TimeSchedule(const std::vector<TimeEvent>& events, std::vector<PendingAction> pending,
                           double start, bool has_begun)
    : events_(events), pending_(std::move(pending)) {
  std::stable_sort(pending_.begin(), pending_.end(), is_earlier);
  for (const TimeEvent& event : events_) counts_.push_back(event.first_from(start));
  find_next();
  if (has_begun && is_due(start)) {
    std::vector<PendingAction> kept = pending_;
    take(start);
    pending_ = std::move(kept);
    find_next();
  }
}

void TimeSchedule::find_next() {
  next_ = pending_.empty() ? std::numeric_limits<double>::infinity() : pending_.front().t;
  for (std::size_t k = 0; k < events_.size(); ++k) next_ = std::min(next_, events_[k].time(counts_[k]));
}

DueActions TimeSchedule::take(double t) {
  DueActions due;
  const double until = t + time_rounding(t);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (!(events_[k].time(counts_[k]) <= until)) continue;
    due.events.push_back(static_cast<Index>(k));
    // A period below the resolution of the clock has several times here.
    counts_[k] = std::max(counts_[k] + 1, events_[k].first_from(until));
    while (events_[k].time(counts_[k]) <= until) ++counts_[k];
  }
  const auto later = std::find_if(pending_.begin(), pending_.end(),
                                  [until](const PendingAction& action) { return action.t > until; });
  due.actions.assign(std::make_move_iterator(pending_.begin()), std::make_move_iterator(later));
  pending_.erase(pending_.begin(), later);
  find_next();
  return due;
}

void TimeSchedule::add(PendingAction action) {
  pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), action, is_earlier), std::move(action));
  find_next();
}

}  // namespace slideway
