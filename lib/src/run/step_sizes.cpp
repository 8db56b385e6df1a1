#include "run/step_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {

// Steps of a method need not fall into every level: distances are compared over so many of them, which is a factor of eight.
constexpr std::size_t kSpan = 3;
// How far that factor may be from eight, since every distance is told to within a step.
constexpr double kTwice = 4;
// The last levels may be cut by the end.
constexpr std::size_t kLastLevels = 4;
// Two spans are no law yet.
constexpr std::size_t kLeastSpans = 3;

}  // namespace

StepSizes::StepSizes(double duration) : duration_(duration) {
  latest_.fill(std::numeric_limits<double>::quiet_NaN());
}

void StepSizes::note(double t, double size) {
  const int level = size > 0 ? std::ilogb(duration_) - std::ilogb(size) : 0;
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
    const double ratio = distance[k - kSpan] / distance[k];
    const double expected = 1 << kSpan;
    return ratio >= expected / kTwice && ratio <= expected * kTwice;
  };
  for (std::size_t cut = 0; cut <= std::min(kLastLevels, last_level_); ++cut) {
    const std::size_t deepest = last_level_ - cut;
    std::size_t first = deepest;
    while (first >= kSpan && is_in_proportion(first)) first -= kSpan;
    if (deepest - first < kLeastSpans * kSpan || !(distance[deepest] <= resolution * distance[first]))
      continue;
    return Shrinking{.since = end - distance[first],
                     .first = std::ldexp(duration_, -static_cast<int>(first)),
                     .last = last_size_};
  }
  return std::nullopt;
}

}  // namespace slideway
