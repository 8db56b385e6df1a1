// The guards at the last few times within a step at which they were asked for.
//
// It must not know what the values are of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "slideway/core/types.hpp"

namespace slideway {

class SampleMemory {
 public:
  // SampleMemory() takes the number of values of a sample.
  explicit SampleMemory(Index size) {
    for (Sample& sample : samples_) sample.values = Vector::Zero(size);
  }
  // recall() returns false where they are not known at t.
  bool recall(double t, VectorRef values) const {
    for (std::size_t k = 0; k < held_; ++k) {
      if (samples_[k].t != t) continue;
      values = samples_[k].values;
      return true;
    }
    return false;
  }
  void remember(double t, ConstVectorRef values) {
    samples_[next_].t = t;
    samples_[next_].values = values;
    next_ = (next_ + 1) % samples_.size();
    held_ = std::min(held_ + 1, samples_.size());
  }
  void forget() { held_ = next_ = 0; }

 private:
  struct Sample {
    double t = 0;
    Vector values = {};
  };
  std::array<Sample, 4> samples_;
  std::size_t held_ = 0;
  std::size_t next_ = 0;
};

}  // namespace slideway
