#include "slideway/orbit/boundary_equilibria.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>

#include "model/refuse_cones.hpp"
#include "orbit/equilibrium_family.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/equilibrium_search.hpp"
#include "orbit/parameter_range.hpp"

namespace slideway {

namespace {

// Bisection as far as the range has digits; Newton's method arrives from the first interval of a branch that is nearly straight.
constexpr int kMostIntervals = 50;

// Equilibria at one value of the parameter.
struct Sample {
  double parameter = 0;
  SearchedEquilibria searched = {};
};

// An equilibrium at a limit of its mode, and the sizes of the states there.
struct Located {
  BoundaryEquilibrium bifurcation = {};
  Vector sizes = {};
};

// A zero of the margins m of one limit, which change their sign in the interval.
struct Interval {
  Vector low = {}, high = {};      // u = (z, s)
  double at_low = 0, at_high = 0;  // m

  double share_of(const Vector& u) const {
    const double low_s = low[low.size() - 1];
    return (u[u.size() - 1] - low_s) / (high[high.size() - 1] - low_s);
  }
  Vector at(double part) const { return low + part * (high - low); }
};

class BoundarySearch {
 public:
  BoundarySearch(const std::function<Automaton(double)>& problem, const Run& run,
                 const BoundaryEquilibriumOptions& options)
      : run_(run),
        options_(options),
        problem_(problem),
        range_(one_parameter(problem, options.first, options.last)) {}

  std::vector<BoundaryEquilibrium> execute() {
    Sample here = sample_at(options_.first);
    // Two equilibria that meet at a point of the grid may be found in the interval before it and in the one behind it.
    std::size_t before_last = 0;
    for (Index k = 1; k < options_.points; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(options_.points - 1);
      Sample there =
          sample_at(k + 1 == options_.points ? options_.last
                                             : options_.first + part * (options_.last - options_.first));
      const std::size_t before = found_.size();
      for (const Equilibrium& one : here.searched.all.found) look_between(one, here, there);
      join_from(before_last);
      before_last = std::min(before, found_.size());
      here = std::move(there);
    }
    std::vector<BoundaryEquilibrium> result;
    for (Located& located : found_) result.push_back(std::move(located.bifurcation));
    return result;
  }

 private:
  Sample sample_at(double value) const {
    return {value, search_equilibria(problem_(value), run_, options_.equilibria)};
  }

  // The one of the same mode whose state is nearest.
  static const Equilibrium* same_as(const Equilibrium& one, const std::vector<Equilibrium>& among,
                                    const Vector& sizes) {
    const Equilibrium* nearest = nullptr;
    double least = 0;
    for (const Equilibrium& other : among) {
      if (other.location != one.location || other.mode != one.mode || other.continuum != one.continuum)
        continue;
      const double distance = (other.state - one.state).cwiseQuotient(sizes).norm();
      if (nearest != nullptr && !(distance < least)) continue;
      nearest = &other;
      least = distance;
    }
    return nearest;
  }

  void look_between(const Equilibrium& one, const Sample& here, const Sample& there) {
    const Vector& sizes = here.searched.sizes;
    const Equilibrium* const end = same_as(one, there.searched.all.found, sizes);
    if (one.continuum > 0 || end == nullptr || same_sign(one.margin, end->margin)) return;
    EquilibriumFamily family(range_, options_.equilibria.run.sliding_rule, run_.start, one, sizes);
    try {
      const std::optional<Vector> zero = first_limit(family, family.unknowns_of(one, here.parameter),
                                                     family.unknowns_of(*end, there.parameter));
      if (!zero) return;
      const std::optional<Equilibrium> at_zero = family.describe(*zero);
      if (!at_zero) return;
      const bool ends_admissible = one.margin < 0;
      found_.push_back({.bifurcation = {.parameter = family.parameter((*zero)[zero->size() - 1]),
                                        .one = *at_zero,
                                        .one_above = ends_admissible == (there.parameter > here.parameter),
                                        .reason = one.admissible ? end->reason : one.reason},
                        .sizes = sizes});
    } catch (const std::exception&) {
      // The problem or its field has no value on the way; nothing is located there.
    }
  }

  // The limit that is met first on the way from the equilibrium inside of all limits to the other one.
  static std::optional<Vector> first_limit(EquilibriumFamily& family, const Vector& here,
                                           const Vector& there) {
    const std::vector<EquilibriumLimit> at_here = family.limits(here), at_there = family.limits(there);
    std::optional<Vector> first;
    double first_part = 0;
    for (std::size_t k = 0; k < at_here.size(); ++k) {
      if (same_sign(at_here[k].margin, at_there[k].margin)) continue;
      const bool is_inside_here = at_here[k].margin >= 0;
      Interval interval{here, there, at_here[k].margin, at_there[k].margin};
      if (!is_inside_here) {
        std::swap(interval.low, interval.high);
        std::swap(interval.at_low, interval.at_high);
      }
      const Interval whole = interval;
      const std::optional<Vector> zero = zero_in(interval, family, static_cast<Index>(k));
      if (!zero || (first && whole.share_of(*zero) >= first_part)) continue;
      first_part = whole.share_of(*zero);
      first = zero;
    }
    return first;
  }

  // Newton's method for the equations and the limit at once, from where the margins tell. Where it leaves the interval, the interval is
  // halved.
  static std::optional<Vector> zero_in(Interval& interval, EquilibriumFamily& family, Index limit) {
    for (int k = 0; k < kMostIntervals; ++k) {
      const double part = interval.at_low / (interval.at_low - interval.at_high);
      const std::optional<Vector> zero = family.at_limit(interval.at(part), limit);
      // Rounding may put a zero at an end of the interval beside it.
      if (zero && interval.share_of(*zero) >= -kConvergedSlowly &&
          interval.share_of(*zero) <= 1 + kConvergedSlowly)
        return zero;
      const std::optional<Vector> middle = family.at_same_parameter(interval.at(0.5));
      if (!middle) return std::nullopt;
      const double margin = family.limits(*middle)[static_cast<std::size_t>(limit)].margin;
      const bool is_low = same_sign(margin, interval.at_low);
      (is_low ? interval.low : interval.high) = *middle;
      (is_low ? interval.at_low : interval.at_high) = margin;
    }
    return std::nullopt;
  }

  // Zero counts as admissible.
  static bool same_sign(double a, double b) { return (a < 0) == (b < 0); }

  // Two that meet at one value are one bifurcation; that of fewer surfaces slid along comes first.
  void join_from(std::size_t first) {
    for (std::size_t a = first; a < found_.size(); ++a)
      for (std::size_t b = a + 1; b < found_.size(); ++b) {
        if (!meet(found_[a], found_[b])) continue;
        if (found_[b].bifurcation.one.mode.codimension() < found_[a].bifurcation.one.mode.codimension())
          std::swap(found_[a], found_[b]);
        BoundaryEquilibrium& one = found_[a].bifurcation;
        const BoundaryEquilibrium& other = found_[b].bifurcation;
        one.other = other.one;
        one.other_above = other.one_above;
        one.kind = one.one_above == one.other_above ? BoundaryEquilibriumKind::nonsmooth_fold
                                                    : BoundaryEquilibriumKind::persistence;
        found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(b));
        break;
      }
  }

  bool meet(const Located& a, const Located& b) const {
    const BoundaryEquilibrium &one = a.bifurcation, &other = b.bifurcation;
    const double range = std::abs(options_.last - options_.first);
    return !one.other && !other.other && one.one.location == other.one.location &&
           std::abs(one.parameter - other.parameter) <= kConvergedSlowly * range &&
           (one.one.state - other.one.state).cwiseQuotient(a.sizes).lpNorm<Eigen::Infinity>() <=
               kConvergedSlowly;
  }

  const Run& run_;
  const BoundaryEquilibriumOptions& options_;
  const std::function<Automaton(double)>& problem_;
  EquilibriumRange range_;
  std::vector<Located> found_ = {};
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
  check_parameter_range({.has_problem = static_cast<bool>(problem),
                         .first = options.first,
                         .last = options.last,
                         .points = options.points},
                        "boundary equilibria cannot be looked for", "find_boundary_equilibria");
  refuse_cone_friction(problem(options.first), "boundary equilibria");
  return BoundarySearch(problem, run, options).execute();
}

}  // namespace slideway
