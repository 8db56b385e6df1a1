// The chain of blocks on a belt as a program written out for it follows it: a mode per block, classical Runge-Kutta steps of
// one size, and events where the cubic through both ends of a step says. It shares nothing with the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "validation/benchmarks/large_problems.hpp"

namespace slideway {

class ChainByHand {
 public:
  explicit ChainByHand(std::size_t blocks) : chain_(blocks), x_(chain_.start()), histories_(blocks) {
    for (std::vector<double>* vector : {&next_, &slope_, &next_slope_, &stage_, &k2_, &k3_, &k4_})
      vector->resize(x_.size());
  }

  void advance(double step) {
    double left = step;
    while (left > 0) {
      take(left);
      // The first of the events in this step; the others come again from there.
      double part = 1;
      std::size_t first = histories_.size();
      for (std::size_t i = 0; i < histories_.size(); ++i) {
        if (chain_.root(0, next_, i) >= 0 || chain_.root(0, Cubic{*this, part, left}, i) >= 0) continue;
        part = zero(i, part, left);
        first = i;
      }
      const bool is_event = first < histories_.size();
      if (is_event) take(part * left);
      std::swap(x_, next_);
      left -= is_event ? part * left : left;
      if (is_event) change_mode(first);
    }
  }

  const std::vector<std::string>& histories() const { return histories_; }

 private:
  // The state between the ends of the step, at s in [0, 1].
  struct Cubic {
    const ChainByHand& by;
    double s, step;
    double operator[](std::size_t j) const {
      const double rise = by.next_[j] - by.x_[j];
      return by.x_[j] + s * (rise + (1 - s) * ((1 - s) * (step * by.slope_[j] - rise) +
                                               s * (rise - step * by.next_slope_[j])));
    }
  };

  void take(double h) {
    const auto stage = [&](double factor, const std::vector<double>& slope) {
      for (std::size_t j = 0; j < x_.size(); ++j) stage_[j] = x_[j] + factor * slope[j];
    };
    chain_.field(0, x_.data(), slope_.data());
    stage(h / 2, slope_);
    chain_.field(0, stage_.data(), k2_.data());
    stage(h / 2, k2_);
    chain_.field(0, stage_.data(), k3_.data());
    stage(h, k3_);
    chain_.field(0, stage_.data(), k4_.data());
    for (std::size_t j = 0; j < x_.size(); ++j)
      next_[j] = x_[j] + h / 6 * (slope_[j] + 2 * k2_[j] + 2 * k3_[j] + k4_[j]);
    chain_.field(0, next_.data(), next_slope_.data());
  }

  // Where the root function of block i, negative at `part`, becomes so.
  double zero(std::size_t i, double part, double h) const {
    double low = 0;
    double high = part;
    for (int halving = 0; halving < 45; ++halving) {
      const double middle = 0.5 * (low + high);
      (chain_.root(0, Cubic{*this, middle, h}, i) < 0 ? high : low) = middle;
    }
    return high;
  }

  void change_mode(std::size_t i) {
    const char before = chain_.mode(i);
    chain_.change(0, x_.data(), i);
    if (chain_.mode(i) != before) histories_[i] += chain_.mode(i);
  }

  benchmarks::HandWrittenChain chain_;
  std::vector<double> x_, next_, slope_, next_slope_, stage_, k2_, k3_, k4_;
  std::vector<std::string> histories_;
};

// The modes that each block goes through up to `end`.
inline std::vector<std::string> chain_histories_by_hand(std::size_t blocks, double end, double step) {
  ChainByHand chain(blocks);
  for (double t = 0; t < end; t += step) chain.advance(std::min(step, end - t));
  return chain.histories();
}

}  // namespace slideway
