// The errors that a run may make: each state is known up to its tolerance, and draws move it by as much.
#pragma once

#include <cstdint>
#include <cstring>
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
// In [0, 1).
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

// The draws about a point, made where somebody needs them. Draws may cancel in a difference of states, and cost little; what is to be
// told as a failure is measured state by state.
class PointErrors {
 public:
  PointErrors(const ErrorsWithin& errors, const Vector& x, std::uint64_t draw)
      : errors_(errors), x_(x), draw_(draw) {}

  const std::vector<Vector>& draws() {
    if (draws_.empty()) draws_ = errors_.draws(x_, errors_.tolerances(x_), draw_);
    return draws_;
  }

  // for_each_state() calls visit(x) with each state that has errors moved by its tolerance alone.
  template <class Visit>
  void for_each_state(const Visit& visit) const {
    const Vector tol = errors_.tolerances(x_);
    Vector moved = x_;
    for (Index k = 0; k < errors_.discrete_from; ++k) {
      moved[k] = x_[k] + tol[k];
      visit(moved);
      moved[k] = x_[k];
    }
  }

 private:
  const ErrorsWithin& errors_;
  const Vector& x_;
  std::uint64_t draw_;
  std::vector<Vector> draws_ = {};
};

}  // namespace slideway::auditing
