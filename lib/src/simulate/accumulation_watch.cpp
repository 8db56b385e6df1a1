#include "simulate/accumulation_watch.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

namespace {

constexpr std::size_t kMost = 64;
constexpr double kSteady = 0.02;

}  // namespace

void AccumulationWatch::note(double t, Index surface) {
  if (times_.size() == kMost) {
    times_.erase(times_.begin(), times_.begin() + kMost / 2);
    surfaces_.erase(surfaces_.begin(), surfaces_.begin() + kMost / 2);
  }
  times_.push_back(t);
  surfaces_.push_back(surface);
}

void AccumulationWatch::clear() {
  times_.clear();
  surfaces_.clear();
}

std::optional<Accumulation> AccumulationWatch::limit() const {
  const std::size_t n = times_.size();
  // A turn crosses each of its surfaces twice; several surfaces can take several turns of the word to repeat.
  for (const std::size_t period : {std::size_t{4}, std::size_t{6}, std::size_t{8}, std::size_t{12}}) {
    if (n < 3 * period + 1) continue;
    bool repeats = true;
    for (std::size_t k = 0; k < 2 * period; ++k) repeats = repeats && surfaces_[n - 1 - k] == surfaces_[n - 1 - k - period];
    if (!repeats) continue;
    const double last = times_[n - 1] - times_[n - 1 - period];
    const double before = times_[n - 1 - period] - times_[n - 1 - 2 * period];
    const double earlier = times_[n - 1 - 2 * period] - times_[n - 1 - 3 * period];
    if (!(last > 0) || !(before > 0) || !(earlier > 0)) continue;
    const double ratio = last / before;
    if (!(ratio < 0.99) || std::abs(before / earlier - ratio) > kSteady * ratio) continue;
    Accumulation result;
    result.ratio = ratio;
    result.remaining = last * ratio / (1 - ratio);
    result.surfaces.assign(surfaces_.end() - static_cast<std::ptrdiff_t>(period), surfaces_.end());
    std::sort(result.surfaces.begin(), result.surfaces.end());
    result.surfaces.erase(std::unique(result.surfaces.begin(), result.surfaces.end()), result.surfaces.end());
    if (result.surfaces.size() < 2) continue;
    return result;
  }
  return std::nullopt;
}

}  // namespace slideway
