// Restarts without an event, so close to each other that the solution does not get away.
//
// It must not know where they are.
#pragma once

#include "simulate/precision.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class StallDetector {
 public:
  // Notes a restart at t of a run of this duration; true when there have been too many.
  bool note(double t, double duration) {
    if (count_ == 0 || t - since_ > kQuietPart * duration) {
      count_ = 0;
      since_ = t;
    }
    ++count_;
    return count_ > kMostQuietRestarts;
  }
  void clear() { count_ = 0; }
  bool any() const { return count_ > 0; }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("count", count_);
    visit("since", since_);
  }

 private:
  Index count_ = 0;
  double since_ = 0;
};

}  // namespace slideway
