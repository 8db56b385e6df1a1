#include "basins/known_ends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace slideway {

namespace {

// Squares on each side of one, whose corners must end alike, too.
constexpr Index kDeep = 2;

}  // namespace

KnownEnds::KnownEnds(const StateGrid& grid, std::vector<std::string> names,
                     std::vector<KnownAttractor> attractors)
    : grid_(&grid), names_(std::move(names)), attractors_(std::move(attractors)) {
  for (std::size_t k = 0; k < attractors_.size(); ++k) {
    // An orbit that is not stable may lie within an attractor, and catches no run.
    if (!attractors_[k].stable) continue;
    for (const Vector& point : attractors_[k].points) {
      for (const CellKey key : grid.keys_around(point, attractors_[k].location)) {
        const auto [cell, is_new] = cells_.emplace(key, static_cast<int>(k));
        if (!is_new && cell->second != static_cast<int>(k)) cell->second = kSeveral;
      }
    }
  }
}

int KnownEnds::near(ConstVectorRef x, const std::string& location) const {
  if (cells_.empty()) return -1;
  const auto found = cells_.find(grid_->key(x, location));
  return found == cells_.end() || found->second == kSeveral ? -1 : found->second;
}

double KnownEnds::distance(int attractor, ConstVectorRef x) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Vector& point : attractors_[static_cast<std::size_t>(attractor)].points)
    least = std::min(least, grid_->distance(point, x));
  return least;
}

CoarseColours::CoarseColours(Index across, Index up, Index stride, const std::vector<int>& colours)
    : across_((across - 1) / stride + 1), up_((up - 1) / stride + 1), stride_(stride) {
  const auto at = [&](Index i, Index j) { return colours[static_cast<std::size_t>(j * across_ + i)]; };
  if (across_ < 2 || up_ < 2) return;
  inside_.assign(static_cast<std::size_t>((across_ - 1) * (up_ - 1)), -1);
  for (Index j = 0; j + 1 < up_; ++j) {
    for (Index i = 0; i + 1 < across_; ++i) {
      if (i < kDeep || j < kDeep || i + 1 + kDeep >= across_ || j + 1 + kDeep >= up_) continue;
      const int colour = at(i, j);
      bool is_alike = true;
      for (Index l = j - kDeep; l <= j + 1 + kDeep && is_alike; ++l)
        for (Index k = i - kDeep; k <= i + 1 + kDeep && is_alike; ++k) is_alike = at(k, l) == colour;
      if (is_alike) inside_[static_cast<std::size_t>(j * (across_ - 1) + i)] = colour;
    }
  }
}

int CoarseColours::inside(double across, double up) const {
  if (inside_.empty()) return -1;
  const double i = std::floor(across / static_cast<double>(stride_)),
               j = std::floor(up / static_cast<double>(stride_));
  if (!(i >= 0 && j >= 0 && i + 1 < static_cast<double>(across_) && j + 1 < static_cast<double>(up_)))
    return -1;
  return inside_[static_cast<std::size_t>(j) * static_cast<std::size_t>(across_ - 1) +
                 static_cast<std::size_t>(i)];
}

}  // namespace slideway
