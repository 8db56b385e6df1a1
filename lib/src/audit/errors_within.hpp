// The errors that a run may make: each state is known up to its tolerance, and the time and every result of arithmetic up to its rounding.
// Draws move them by as much.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway::auditing {

// kSure is how many times the effect of drawn errors makes a difference certain. A run's error is several tolerances at loose ones, and
// three draws of n states find the largest effect up to a factor that grows as √n.
inline constexpr double kSure = 100;

// same_bits() tells the same number, bit for bit; zero has two signs, which no model tells apart.
inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a == 0 && b == 0); }

inline std::uint64_t hash_of(std::uint64_t a) {
  a += 0x9E3779B97F4A7C15ULL;
  a = (a ^ (a >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  a = (a ^ (a >> 27U)) * 0x94D049BB133111EBULL;
  return a ^ (a >> 31U);
}
// kAllUp is the draw in which every result is rounded up, so that the errors of a product do not cancel: four draws by chance leave a
// product of two results unmoved in 1 of 16 models. It is the largest number that leaves place for 32 bits, and no draw counts so far.
inline constexpr std::uint64_t kAllUp = 0xFFFFFFFFU;

// rounded_by_chance() returns the number one rounding error above or below; `place` is the operation that is rounded.
inline double rounded_by_chance(double value, std::uint64_t draw, std::uint64_t place = 0) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const bool is_up = draw == kAllUp || (hash_of((draw << 32U) + place) & 1U) != 0;
  return value * (is_up ? 1 + epsilon : 1 - epsilon);
}

// fraction_of() is in [0, 1).
inline double fraction_of(std::uint64_t a) { return static_cast<double>(hash_of(a) >> 11U) * 0x1p-53; }

struct ErrorsWithin {
  double rtol = 0;
  Vector atol = {};
  Index discrete_from = 0;  // states from here on are discrete, and have no errors

  Vector tolerances(const Vector& x) const { return rtol * x.cwiseAbs() + atol; }

  // States within the errors. Two of them are opposite, so that what is flat on one side of x moves by one of them.
  std::vector<Vector> draws(const Vector& x, const Vector& tol, std::uint64_t draw) const {
    return {moved(x, tol, draw), moved(x, tol, draw, -1), moved(x, tol, draw + 1)};
  }

  // x moved by half to all of size·tol in each entry, by a negative size the other way.
  Vector moved(const Vector& x, const Vector& tol, std::uint64_t draw, double size = 1) const {
    Vector result = x;
    for (Index k = 0; k < discrete_from; ++k) {
      const std::uint64_t chance = hash_of(draw * 1'000'003 + static_cast<std::uint64_t>(k));
      const double part = 0.5 + 0.5 * fraction_of(chance);
      result[k] += size * ((chance & 1U) != 0 ? part : -part) * tol[k];
    }
    return result;
  }
};

// A state beside a point, and the chance by which all is rounded there (AuditedField::round_by_chance).
struct Draw {
  Vector x = {};
  std::uint64_t rounding = 0;
};

// The draws about a point, made where somebody needs them. Draws may cancel in a difference of states, and cost little; what is to be
// told as a failure is measured state by state, and by rounding alone.
class PointErrors {
 public:
  PointErrors(const ErrorsWithin& errors, const Vector& x, std::uint64_t draw)
      : errors_(errors), x_(x), draw_(draw) {}

  const std::vector<Draw>& draws() {
    if (!draws_.empty()) return draws_;
    std::uint64_t rounding = 0;
    for (Vector& x : errors_.draws(x_, errors_.tolerances(x_), draw_))
      draws_.push_back({std::move(x), ++rounding});
    return draws_;
  }

  // for_each_error() calls visit(draw) with each state that has errors moved by its tolerance alone, and with rounding alone.
  template <class Visit>
  void for_each_error(const Visit& visit) const {
    const Vector tol = errors_.tolerances(x_);
    Draw moved{x_};
    for (Index k = 0; k < errors_.discrete_from; ++k) {
      moved.x[k] = x_[k] + tol[k];
      visit(moved);
      moved.x[k] = x_[k];
    }
    // Few draws: each moves some of the roundings up that another one moves down.
    constexpr std::uint64_t kRoundings = 4;
    for (moved.rounding = 1; moved.rounding <= kRoundings; ++moved.rounding) visit(moved);
    moved.rounding = kAllUp;
    visit(moved);
  }

 private:
  const ErrorsWithin& errors_;
  const Vector& x_;
  std::uint64_t draw_;
  std::vector<Draw> draws_ = {};
};

}  // namespace slideway::auditing
