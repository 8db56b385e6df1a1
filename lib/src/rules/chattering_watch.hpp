// Recognises that events accumulate: many of them in a time that is nothing beside the run.
//
// It must not know what the events are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace slideway {

class ChatteringWatch {
 public:
  // Notes an event at t; true when the last kWindow events lie within `shortest`.
  bool note(double t, double shortest) {
    const double oldest = times_[next_];
    times_[next_] = t;
    next_ = (next_ + 1) % times_.size();
    held_ = std::min(held_ + 1, times_.size() + 1);
    if (held_ <= times_.size()) return false;
    span_ = t - oldest;
    return span_ <= shortest;
  }
  static constexpr std::size_t kWindow = 100;
  // The time the last kWindow events took.
  double span() const { return span_; }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("times", times_);
    visit("next", next_);
    visit("held", held_);
    visit("span", span_);
  }

 private:
  std::array<double, kWindow> times_ = {};
  std::size_t next_ = 0;
  std::size_t held_ = 0;
  double span_ = 0;
};

}  // namespace slideway
