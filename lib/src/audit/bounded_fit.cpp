#include "audit/bounded_fit.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway::auditing {
namespace {

// Lawson and Hanson's active sets with two bounds: the z nearest to A·z = b. `z` is inside its bounds at the start.
Vector nearest(const Matrix& a, const Vector& b, Vector z, const std::vector<Bounds>& bounds) {
  const Index count = z.size();
  std::vector<bool> is_free(static_cast<std::size_t>(count), false);
  std::vector<bool> is_tried(static_cast<std::size_t>(count), false);
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  for (Index k = 0; k < count; ++k) is_free[at(k)] = z[k] > bounds[at(k)].low && z[k] < bounds[at(k)].high;
  for (Index round = 0; round < 10 * count + 10; ++round) {
    // The free ones go to the least squares, as far as the bounds let them.
    for (Index inner = 0; inner <= count; ++inner) {
      std::vector<Index> free;
      for (Index k = 0; k < count; ++k)
        if (is_free[at(k)]) free.push_back(k);
      if (free.empty()) break;
      Matrix columns(a.rows(), static_cast<Index>(free.size()));
      for (std::size_t k = 0; k < free.size(); ++k) columns.col(static_cast<Index>(k)) = a.col(free[k]);
      const Vector step = columns.completeOrthogonalDecomposition().solve(b - a * z);
      double part = 1;
      Index blocked = -1;
      for (std::size_t k = 0; k < free.size(); ++k) {
        const Bounds& bound = bounds[at(free[k])];
        const double one = step[static_cast<Index>(k)];
        const double room = one > 0 ? bound.high - z[free[k]] : z[free[k]] - bound.low;
        if (std::abs(one) * part > room) {
          part = room / std::abs(one);
          blocked = free[k];
        }
      }
      for (std::size_t k = 0; k < free.size(); ++k) z[free[k]] += part * step[static_cast<Index>(k)];
      if (blocked < 0) break;
      const Bounds& bound = bounds[at(blocked)];
      z[blocked] =
          std::abs(z[blocked] - bound.low) < std::abs(z[blocked] - bound.high) ? bound.low : bound.high;
      is_free[at(blocked)] = false;
    }
    // The bound that is worth leaving most.
    const Vector slope = a.transpose() * (b - a * z);
    Index best = -1;
    double most = 0;
    for (Index k = 0; k < count; ++k) {
      if (is_free[at(k)] || is_tried[at(k)]) continue;
      const double size = a.col(k).norm();
      if (!(size > 0)) continue;
      const bool is_low = z[k] <= bounds[at(k)].low;
      const double gain = (is_low ? slope[k] : -slope[k]) / size;
      if (gain > most && gain > 1e-12 * b.norm()) {
        most = gain;
        best = k;
      }
    }
    if (best < 0) break;
    is_free[at(best)] = true;
    if (round > 3 * count) is_tried[at(best)] = true;
  }
  return z;
}

}  // namespace

Vector bounded_fit(const std::function<void(const Vector& z, Vector& r)>& residual, Vector start,
                   const std::vector<Bounds>& bounds) {
  // Products of unknowns need some rounds; without them the second round changes nothing.
  constexpr int most_rounds = 40;
  constexpr int most_halvings = 10;
  Vector z = std::move(start);
  const Index count = z.size();
  Vector r, there;
  residual(z, r);
  for (int round = 0; round < most_rounds; ++round) {
    Matrix columns(r.size(), count);
    for (Index k = 0; k < count; ++k) {
      Vector moved = z;
      const double unit = z[k] + 1 <= bounds[static_cast<std::size_t>(k)].high ? 1.0 : -1.0;
      moved[k] += unit;
      residual(moved, there);
      columns.col(k) = (there - r) / unit;
    }
    Vector next = nearest(-columns, r - columns * z, z, bounds);
    residual(next, there);
    const double before = r.squaredNorm();
    // Products of unknowns may make the whole step too long; the way between two points inside the bounds is inside them.
    for (int halving = 0; halving < most_halvings && !(there.squaredNorm() < before); ++halving) {
      next = 0.5 * (z + next);
      residual(next, there);
    }
    if (!(there.squaredNorm() < before)) break;
    z = next;
    r = there;
    if (there.squaredNorm() > before * (1 - 1e-9)) break;
  }
  return z;
}

}  // namespace slideway::auditing
