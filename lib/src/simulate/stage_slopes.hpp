// How fast a few quantities qₖ move over the stages of a step, and whether they can have left their range (0, U) between them:
//     sⱼ = (q(tⱼ) − q(t₀))/(tⱼ − t₀)  at stage j,      q' in [min s − w, max s + w],  w = 2 (max s − min s)
// The stages of dopri5 lie at 1/5, 3/10, 4/5, 8/9 and the end of a step, those of dop853 no farther apart. For a cubic these are
// all slopes, and where q swings faster than that, w is as large as its swing. An excursion that leaves no trace at any stage is
// missed, as it is by the step.
//
// It must not know what the quantities are.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "simulate/precision.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class StageSlopes {
 public:
  explicit StageSlopes(Index most) : first_(most), latest_(most, kKept), lowest_(most), highest_(most) {}

  // start() begins with `count` quantities between 0 and `upper`, which may be infinite, and no stage.
  void start(Index count, double upper) {
    latest_times_.fill(kNever);
    count_ = count;
    upper_ = upper;
    stages_ = 0;
  }
  // A step starts at t, where there has been a stage lately.
  void restart(double t) {
    if (stages_ == 0) return;
    stages_ = 0;
    const Index stage = stage_at(t);
    if (stage < 0) return;
    start_ = t;
    first_.head(count_) = latest_.col(stage).head(count_);
    all_finite_ = first_.head(count_).allFinite();
    stages_ = 1;
  }
  // A stage, where quantity(k) is the k-th.
  template <class Quantity>
  void add(double t, const Quantity& quantity) {
    if (!(t > start_)) stages_ = 0;
    const double rate = 1 / (t - start_);
    newest_ = (newest_ + 1) % kKept;
    latest_times_[static_cast<std::size_t>(newest_)] = t;
    auto latest = latest_.col(newest_);
    bool finite = true;
    for (Index k = 0; k < count_; ++k) {
      const double value = quantity(k);
      latest[k] = value;
      finite = finite && std::isfinite(value);
      if (stages_ == 0) {
        first_[k] = value;
        continue;
      }
      const double slope = (value - first_[k]) * rate;
      lowest_[k] = stages_ == 1 ? slope : std::min(lowest_[k], slope);
      highest_[k] = stages_ == 1 ? slope : std::max(highest_[k], slope);
    }
    if (stages_ == 0) start_ = t;
    all_finite_ = finite && (stages_ == 0 || all_finite_);
    ++stages_;
  }
  // stay_until() tells whether all stay in their range until t, which is no later than the last stage.
  bool stay_until(double t) const {
    const double time = t - start_;
    return holds([&](Index k, double falls, double rises) {
      return first_[k] + std::min(0.0, falls) * time > 0 && first_[k] + std::max(0.0, rises) * time < upper_;
    });
  }
  // leave_once_until() tells whether all that are in their range at t, where quantity(k) is the k-th, stay there
  // until then, and the others leave it once.
  template <class Quantity>
  bool leave_once_until(double t, const Quantity& quantity) const {
    const double time = t - start_;
    return holds([&](Index k, double falls, double rises) {
      const double last = quantity(k);
      const double slack = kUnitRounding * (std::abs(falls) + std::abs(rises)) * time;
      const double change = last - first_[k];
      if (!(change >= falls * time - slack && change <= rises * time + slack)) return false;
      if (rises <= 0 || falls >= 0) return true;
      // Seen from both ends: first_ + rises·τ and last − falls·(time − τ) are above it, and those below it alike.
      const double highest = (rises * (last - falls * time) - falls * first_[k]) / (rises - falls);
      const double lowest = (rises * first_[k] - falls * (last - rises * time)) / (rises - falls);
      return lowest > 0 && highest < upper_;
    });
  }
  // stage_at() tells which of the latest stages was at t, for value(); negative if none was.
  Index stage_at(double t) const {
    for (Index age = 0; age < kKept; ++age) {
      const Index stage = (newest_ + kKept - age) % kKept;
      if (latest_times_[static_cast<std::size_t>(stage)] == t) return stage;
    }
    return -1;
  }
  double value(Index stage, Index k) const { return latest_(k, stage); }

 private:
  static constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
  static constexpr Index kKept = 4;  // dop853 has three stages within the step after the one at its end
  static constexpr int kStages = 7;  // of a step of dopri5, with its start

  // holds() tells whether test(k, falls, rises) is true of all, `falls` and `rises` being the ends of the
  // interval of its slopes.
  template <class Test>
  bool holds(const Test& test) const {
    if (stages_ < kStages || !all_finite_) return false;
    for (Index k = 0; k < count_; ++k) {
      const double widening = 2 * (highest_[k] - lowest_[k]);
      if (!test(k, lowest_[k] - widening, highest_[k] + widening)) return false;
    }
    return true;
  }

  Index count_ = 0;
  double upper_ = 0;
  int stages_ = 0;
  bool all_finite_ = true;
  double start_ = 0;
  Vector first_;  // q
  Matrix latest_;
  Index newest_ = 0;
  std::array<double, kKept> latest_times_ = {kNever, kNever, kNever, kNever};
  Vector lowest_, highest_;  // s
};

}  // namespace slideway
