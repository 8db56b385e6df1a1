#include "slideway/orbit/boundary_equilibria.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/number_text.hpp"
#include "model/refuse_cones.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// A margin is of the sizes of the states, and Newton's method leaves rounding of it.
constexpr double kZeroMargin = 1e-14;
// The least interval, as a part of the parameter's range: rounding of a margin of 1e-16 per part in a thousand of
// the range ends a search there.
constexpr double kLeastInterval = 1e-13;
// Two equilibria that meet are both located to about the accuracy of simple zeros, 1e-9 of the sizes of the states.
constexpr double kSamePlace = 1e-6;
constexpr int kMostTrials = 60;

class BoundarySearch {
 public:
  BoundarySearch(const std::function<Automaton(double)>& problem, const Run& run,
                 const BoundaryEquilibriumOptions& options)
      : problem_(problem), run_(run), options_(options) {}

  std::vector<BoundaryEquilibrium> execute() {
    double from = options_.first;
    std::vector<Equilibrium> here = equilibria_at(from);
    for (Index k = 1; k < options_.points; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(options_.points - 1);
      const double to =
          k + 1 == options_.points ? options_.last : options_.first + part * (options_.last - options_.first);
      std::vector<Equilibrium> there = equilibria_at(to);
      const std::size_t before = found_.size();
      for (const Equilibrium& one : here) look_between(one, from, there, to);
      join_from(before);
      here = std::move(there);
      from = to;
    }
    return found_;
  }

 private:
  std::vector<Equilibrium> equilibria_at(double value) const {
    return find_equilibria(problem_(value), run_, options_.equilibria).found;
  }

  static double apart(const Vector& a, const Vector& b) {
    const double size = std::max(a.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>());
    return (a - b).lpNorm<Eigen::Infinity>() / std::max(size, 1.0);
  }

  // The one of the same mode whose state is nearest.
  static const Equilibrium* same_as(const Equilibrium& one, const std::vector<Equilibrium>& among,
                                    const Vector& state) {
    const Equilibrium* nearest = nullptr;
    for (const Equilibrium& other : among) {
      if (other.location != one.location || other.mode != one.mode || other.continuum != one.continuum)
        continue;
      if (nearest == nullptr || (other.state - state).norm() < (nearest->state - state).norm())
        nearest = &other;
    }
    return nearest;
  }

  void look_between(const Equilibrium& one, double from, const std::vector<Equilibrium>& there, double to) {
    const Equilibrium* const end = same_as(one, there, one.state);
    if (one.continuum > 0 || end == nullptr || same_sign(one.margin, end->margin)) return;
    Equilibrium low = one, high = *end;
    double at_low = from, at_high = to, low_margin = low.margin, high_margin = high.margin;
    Equilibrium best = low;
    double at_best = at_low;
    // Illinois' variant of the secant method.
    for (int k = 0; k < kMostTrials; ++k) {
      double at = at_low - low_margin * (at_high - at_low) / (high_margin - low_margin);
      if (!(std::min(at_low, at_high) < at && at < std::max(at_low, at_high))) at = 0.5 * (at_low + at_high);
      const double part = (at - at_low) / (at_high - at_low);
      const std::vector<Equilibrium> all = equilibria_at(at);
      const Equilibrium* const middle = same_as(one, all, low.state + part * (high.state - low.state));
      if (middle == nullptr) return;
      best = *middle;
      at_best = at;
      if (std::abs(middle->margin) <= kZeroMargin) break;
      if (same_sign(middle->margin, low.margin)) {
        at_low = at;
        low = *middle;
        low_margin = middle->margin;
        high_margin *= 0.5;
      } else {
        at_high = at;
        high = *middle;
        high_margin = middle->margin;
        low_margin *= 0.5;
      }
      if (std::abs(at_high - at_low) <= kLeastInterval * std::abs(options_.last - options_.first)) break;
    }
    const bool ends_admissible = end->margin >= 0 && one.margin < 0;
    found_.push_back({.parameter = at_best,
                      .one = best,
                      .one_above = ends_admissible == (to > from),
                      .reason = one.admissible ? end->reason : one.reason});
  }

  // Zero counts as admissible.
  static bool same_sign(double a, double b) { return (a < 0) == (b < 0); }

  // Two that meet at one value are one bifurcation; that of fewer surfaces slid along comes first.
  void join_from(std::size_t first) {
    for (std::size_t a = first; a < found_.size(); ++a)
      for (std::size_t b = a + 1; b < found_.size(); ++b) {
        if (found_[a].other || found_[b].other || !meet(found_[a], found_[b])) continue;
        if (found_[b].one.mode.codimension() < found_[a].one.mode.codimension())
          std::swap(found_[a], found_[b]);
        found_[a].other = found_[b].one;
        found_[a].other_above = found_[b].one_above;
        found_[a].kind = found_[a].one_above == found_[b].one_above ? BoundaryEquilibriumKind::nonsmooth_fold
                                                                    : BoundaryEquilibriumKind::persistence;
        found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(b));
        break;
      }
  }

  bool meet(const BoundaryEquilibrium& a, const BoundaryEquilibrium& b) const {
    const double range = std::abs(options_.last - options_.first);
    return a.one.location == b.one.location && std::abs(a.parameter - b.parameter) <= kSamePlace * range &&
           apart(a.one.state, b.one.state) <= kSamePlace;
  }

  const std::function<Automaton(double)>& problem_;
  const Run& run_;
  const BoundaryEquilibriumOptions& options_;
  std::vector<BoundaryEquilibrium> found_ = {};
};

}  // namespace

const char* to_string(BoundaryEquilibriumKind kind) {
  switch (kind) {
    case BoundaryEquilibriumKind::persistence: return "persistence";
    case BoundaryEquilibriumKind::nonsmooth_fold: return "nonsmooth_fold";
    case BoundaryEquilibriumKind::alone: return "alone";
  }
  return "";
}

std::vector<BoundaryEquilibrium> find_boundary_equilibria(
    const std::function<Automaton(double value)>& problem, const Run& run,
    const BoundaryEquilibriumOptions& options) {
  if (!problem || !std::isfinite(options.first) || !std::isfinite(options.last) ||
      options.first == options.last || options.points < 2) {
    refuse({.what = "boundary equilibria cannot be looked for",
            .where = "find_boundary_equilibria",
            .expected = "a problem for each value, two different finite values and at least two points",
            .got = number_text(options.first) + " to " + number_text(options.last) + " in " +
                   std::to_string(options.points) + " points"});
  }
  refuse_cone_friction(problem(options.first), "boundary equilibria");
  return BoundarySearch(problem, run, options).execute();
}

}  // namespace slideway
