// Random and Latin hypercube samples: the same numbers for the same seed on every platform.
//
// They come from std::mt19937_64, whose sequence the standard fixes, by operations that IEEE 754 rounds in one way.
// It must not know parameters or runs.
#pragma once

#include <cstdint>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway::apps {

// The interval that a parameter is drawn from; `logarithmic` draws equal ratios with equal probability.
struct SampleRange {
  double first = 0;
  double last = 1;
  bool logarithmic = false;
};

// The value at a fraction in [0, 1) of the way from the first to the last one.
double value_between(const SampleRange& range, double fraction);

// A list per range, of one value for each sample. The samples of a smaller count are the first ones of a greater count.
std::vector<std::vector<double>> random_samples(const std::vector<SampleRange>& ranges, Index count,
                                                std::uint64_t seed);

// The same, but each of `count` equal parts of every range holds exactly one value; at most 2^24 samples.
std::vector<std::vector<double>> latin_samples(const std::vector<SampleRange>& ranges, Index count,
                                               std::uint64_t seed);

}  // namespace slideway::apps
