#include "rules/event_series.hpp"

#include "core/copy_numbers.hpp"

namespace slideway {

PastEvent& EventSeries::note(double t, Index id, double accuracy) {
  if (empty()) {
    began_ = t;
    count_ = 0;
  }
  ++count_;
  if (held_ == most_) {
    const auto half = static_cast<std::ptrdiff_t>(most_ / 2);
    std::rotate(events_.begin(), events_.begin() + half, events_.end());
    held_ -= most_ / 2;
  }
  if (held_ == events_.size()) events_.emplace_back();
  PastEvent& event = events_[held_++];
  event.t = t;
  event.id = id;
  event.accuracy = accuracy;
  event.only_crossings = false;
  event.part = {};
  return event;
}

PastEvent& EventSeries::note(double t, Index id, const Vector& x, double accuracy) {
  PastEvent& event = note(t, id, accuracy);
  copy_numbers(x, event.x);
  if (count_ == 1)
    scale_ = x.cwiseAbs();
  else
    scale_ = scale_.cwiseMax(x.cwiseAbs());
  return event;
}

}  // namespace slideway
