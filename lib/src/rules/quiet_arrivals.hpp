// Arrivals of guards in a row of which nothing is told: touches within errors, sides that turn out of force, returns to a surface. A run
// makes no progress where the same guards keep arriving so, whatever they are of.
//
// It must not know what arrived, nor why nothing was told of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/precision.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class QuietArrivals {
 public:
  // note() is called where these guards have arrived at t and nothing was told; the log has so many records. True where there is no
  // progress in a run of this duration. A guard that arrives for the first time in the row is progress.
  bool note(double t, double duration, std::size_t records, const std::vector<Index>& guards) {
    if (!goes_on(records) || t - began_ > kQuietPart * duration) {
      clear();
      began_ = t;
      records_ = static_cast<std::int64_t>(records);
    }
    bool is_new = false;
    for (const Index guard : guards) {
      const auto place = std::lower_bound(seen_.begin(), seen_.end(), guard);
      if (place != seen_.end() && *place == guard) continue;
      seen_.insert(place, guard);
      is_new = true;
    }
    ++arrivals_;
    if (!is_new) ++repeats_;
    return repeats_ >= kMostQuietRestarts;
  }
  // goes_on() tells whether there is a row, which ends with the next record.
  bool goes_on(std::size_t records) const {
    return arrivals_ > 0 && records_ == static_cast<std::int64_t>(records);
  }
  std::int64_t arrivals() const { return arrivals_; }
  void clear() {
    arrivals_ = repeats_ = 0;
    seen_.clear();
  }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("began", began_);
    visit("records", records_);
    visit("arrivals", arrivals_);
    visit("repeats", repeats_);
    visit("seen", seen_);
  }

 private:
  double began_ = 0;
  std::int64_t records_ = 0;
  std::int64_t arrivals_ = 0;
  std::int64_t repeats_ = 0;  // of guards that had all arrived in the row before
  std::vector<Index> seen_;   // sorted
};

}  // namespace slideway
