// Random and Latin hypercube samples: the same numbers for the same seed on every platform.
//
// They come from std::mt19937_64, whose sequence the standard fixes, by operations that IEEE 754 rounds in one way.
// It must not know parameters or runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// The interval that a parameter is drawn from; `logarithmic` draws equal ratios with equal probability.
struct SampleRange {
  double first = 0;
  double last = 1;
  bool logarithmic = false;
};

// The value at a fraction in [0, 1) of the way from the first to the last one.
double value_between(const SampleRange& range, double fraction);

enum class Sampling { grid, random, latin };

// Samples gives the samples of ranges by their numbers, in little memory: a sample is drawn again when it is asked
// for. Random samples of a smaller count are the first ones of a greater count. Each of `count` equal parts of
// every range holds exactly one value of a Latin hypercube; its order takes four bytes per range and sample.
class Samples {
 public:
  // A Latin hypercube has at most 2^24 samples.
  Samples(std::vector<SampleRange> ranges, Index count, std::uint64_t seed, Sampling sampling);
  ~Samples();
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  Index count() const;
  // A value per range. May be asked by several threads.
  std::vector<double> at(Index sample) const;

 private:
  class Draw;
  std::unique_ptr<Draw> draw_;
};

// A list per range, of one value for each sample.
std::vector<std::vector<double>> random_samples(const std::vector<SampleRange>& ranges, Index count,
                                                std::uint64_t seed);
std::vector<std::vector<double>> latin_samples(const std::vector<SampleRange>& ranges, Index count,
                                               std::uint64_t seed);

}  // namespace slideway
