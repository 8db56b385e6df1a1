#include "run/step_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simulate/precision.hpp"
#include "slideway/detail/core/number_form.hpp"

namespace slideway {

namespace {

// ⌊log₂ size⌋ of a normal number, from its bits: a run notes millions of steps.
int binary_exponent(double size) {
  constexpr int digits = 52, mask = 0x7ff, bias = 1023;
  return static_cast<int>((bits_of(size) >> digits) & mask) - bias;
}

}  // namespace

StepSizes::StepSizes(double duration) : duration_(duration) {
  latest_.fill(std::numeric_limits<double>::quiet_NaN());
}

void StepSizes::note(double t, double size) {
  const int level = size > 0 ? binary_exponent(duration_) - binary_exponent(size) : 0;
  last_level_ = static_cast<std::size_t>(std::clamp(level, 0, static_cast<int>(kLevels) - 1));
  last_size_ = size;
  latest_[last_level_] = t;
}

std::optional<StepSizes::Shrinking> StepSizes::shrink_into(double end, double resolution) const {
  // end − sₖ; infinite where there was no step so long.
  std::array<double, kLevels> distance;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < kLevels; ++k) {
    if (!std::isnan(latest_[k])) nearest = std::min(nearest, end - latest_[k]);
    distance[k] = nearest;
  }
  const auto is_in_proportion = [&](std::size_t k) {
    const double ratio = distance[k - kSpanOfLevels] / distance[k];
    const double expected = 1 << kSpanOfLevels;
    return ratio >= expected / kSpanSlack && ratio <= expected * kSpanSlack;
  };
  for (std::size_t cut = 0; cut <= std::min(kCutLevels, last_level_); ++cut) {
    const std::size_t deepest = last_level_ - cut;
    std::size_t first = deepest;
    while (first >= kSpanOfLevels && is_in_proportion(first)) first -= kSpanOfLevels;
    if (deepest - first < kLeastSpans * kSpanOfLevels || !(distance[deepest] <= resolution * distance[first]))
      continue;
    return Shrinking{.since = end - distance[first],
                     .first = std::ldexp(duration_, -static_cast<int>(first)),
                     .last = last_size_};
  }
  return std::nullopt;
}

}  // namespace slideway
