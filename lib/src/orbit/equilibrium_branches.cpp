#include "slideway/orbit/equilibrium_branches.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/equilibrium_family.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/equilibrium_search.hpp"
#include "orbit/parameter_range.hpp"
#include "orbit/secant_bracket.hpp"

namespace slideway {

namespace {

// A branch ends where a step would be shorter than this part of the longest one. The tests of orbits pass with 1e-8 and 1e-6.
constexpr double kShortestStep = 1e-7;
// The tangent turns by at most 26 degrees from one point to the next. The tests of orbits pass with 18 and 37 degrees (0.95 and 0.8).
constexpr double kLeastCosine = 0.9;
// A zero farther than this part of the step from where the tangent leads belongs to another branch. The tests of orbits pass with 0.15 and 0.6.
constexpr double kNearPrediction = 0.3;
// A step of at most this part of the range is not worth a point. The tests of orbits pass with 1e-10 and 1e-8.
constexpr double kEndOfRange = 1e-9;
// Two eigenvalues with a smaller imaginary part, in their own size, are real ones that meet. The tests of orbits pass with 1e-7 and 1e-5.
constexpr double kPairSize = 1e-6;
// Bisection narrows a bracket to the last of 53 digits, and every second step of the secant method may be as slow.
constexpr int kMostSecants = 80;

// A zero on a branch, with the unit tangent there.
struct Station {
  Vector u = {};
  Vector tangent = {};
  Equilibrium equilibrium = {};
  double pairs = 1;     // ∏(μᵢ + μⱼ), scaled, which vanishes at a pair on the imaginary axis
  double border = 0;    // det(F_u; τᵀ), scaled
  Vector margins = {};  // of the limits

  double turn() const { return tangent[tangent.size() - 1]; }
};

double product_of_sums(const std::vector<std::complex<double>>& values) {
  double size = 0;
  for (const auto& value : values) size = std::max(size, std::abs(value));
  std::complex<double> product = 1;
  if (size > 0)
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i + 1; j < values.size(); ++j) product *= (values[i] + values[j]) / size;
  return product.real();
}

// has_pair_on_axis() takes the two eigenvalues with the smallest sum. It returns true if they are a complex pair.
bool has_pair_on_axis(const std::vector<std::complex<double>>& values) {
  double least = std::numeric_limits<double>::infinity(), size = 0;
  bool is_pair = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    size = std::max(size, std::abs(values[i]));
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      if (std::abs(values[i] + values[j]) >= least) continue;
      least = std::abs(values[i] + values[j]);
      is_pair = values[i].imag() != 0 && values[i] == std::conj(values[j]);
      is_pair = is_pair && std::abs(values[i].imag()) > kPairSize * std::abs(values[i]);
    }
  }
  return is_pair && size > 0;
}

// EquilibriumFollower follows one branch in one direction.
class EquilibriumFollower {
 public:
  EquilibriumFollower(EquilibriumFamily& family, const EquilibriumBranchOptions& options)
      : family_(family), options_(options), longest_(1.0 / static_cast<double>(options.points - 1)) {}

  // follow() begins at `start`. The parameter first moves to the last value of the range if `forwards` is true, else to the first value.
  EquilibriumBranch follow(const Vector& start, bool forwards) {
    EquilibriumBranch branch;
    Vector along = Vector::Zero(start.size());
    along[along.size() - 1] = forwards ? 1 : -1;
    std::optional<Station> here = station_at(start, along);
    if (!here) {
      branch.message = "the branch has no tangent at its begin";
      return branch;
    }
    add_point(*here, branch);
    const double begin = here->u[last(here->u)];
    if (forwards ? begin >= 1 - kEndOfRange : begin <= kEndOfRange) return branch;
    double length = longest_;
    while (static_cast<Index>(branch.points.size()) < options_.most_points) {
      if (length < kShortestStep * longest_) {
        branch.message = "the branch ends near " + number_text(family_.parameter(here->u[last(here->u)]));
        return branch;
      }
      const Vector predicted = here->u + length * here->tangent;
      // The problem need not make sense beyond the range.
      const double s = predicted[last(predicted)];
      const bool leaves = s >= 1 - kEndOfRange || s <= kEndOfRange;
      std::optional<Station> next =
          leaves ? at_end(*here, predicted, s > 0.5 ? 1.0 : 0.0) : station_near(predicted, *here);
      const bool is_near = next && (next->u - here->u).norm() <= (1 + kNearPrediction) * length &&
                           (leaves || (next->u - predicted).norm() <= kNearPrediction * length) &&
                           next->tangent.dot(here->tangent) >= kLeastCosine;
      if (!is_near) {
        length *= 0.5;
        continue;
      }
      look_between(*here, *next, branch);
      add_point(*next, branch);
      if (leaves) return branch;
      const bool is_closed = branch.points.size() > 3 && (next->u - start).norm() <= length &&
                             (start - here->u).dot(here->tangent) > 0 &&
                             (start - next->u).dot(next->tangent) <= 0;
      if (is_closed) return branch;
      here = std::move(next);
      length = std::min(longest_, 2 * length);
    }
    branch.message = "the greatest number of points is reached at " +
                     number_text(family_.parameter(here->u[last(here->u)]));
    return branch;
  }

 private:
  static Index last(const Vector& u) { return u.size() - 1; }

  void add_point(const Station& station, EquilibriumBranch& branch) const {
    branch.points.push_back({family_.parameter(station.u[last(station.u)]), station.equilibrium});
  }

  // station_at() finds the unit tangent at u, on the side of `along`, and the test functions of bifurcations. It is empty if one of them
  // has no value.
  std::optional<Station> station_at(const Vector& u, const Vector& along) {
    try {
      const Index k = last(u);
      Station result{.u = u};
      Vector value;
      Matrix wide;
      family_.evaluate(u, value, wide);
      scale_rows(wide, value);
      Matrix bordered(k + 1, k + 1);
      bordered << wide, along.transpose();
      Vector right = Vector::Zero(k + 1);
      right[k] = 1;
      result.tangent = bordered.fullPivLu().solve(right);
      if (!result.tangent.allFinite() || !(result.tangent.norm() > 0)) return std::nullopt;
      result.tangent.normalize();
      bordered.row(k) = result.tangent.transpose();
      result.border = bordered.fullPivLu().determinant();
      const std::optional<Equilibrium> found = family_.describe(u);
      if (!found) return std::nullopt;
      result.equilibrium = *found;
      result.pairs = product_of_sums(found->eigenvalues);
      const std::vector<EquilibriumLimit> limits = family_.limits(u);
      result.margins.resize(static_cast<Index>(limits.size()));
      for (std::size_t i = 0; i < limits.size(); ++i)
        result.margins[static_cast<Index>(i)] = limits[i].margin;
      return result;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  // The zero on the plane through `predicted` across the tangent of `from`.
  std::optional<Station> station_near(const Vector& predicted, const Station& from) {
    try {
      const auto zero = newton_zero(
          [&](const Vector& u, Vector& value, Matrix& jacobian) {
            Vector equations;
            Matrix wide;
            family_.evaluate(u, equations, wide);
            value.resize(u.size());
            jacobian.resize(u.size(), u.size());
            value << equations, from.tangent.dot(u - predicted);
            jacobian << wide, from.tangent.transpose();
          },
          predicted);
      if (!zero) return std::nullopt;
      return station_at(*zero, from.tangent);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  // The zero at an end of the range.
  std::optional<Station> at_end(const Station& here, const Vector& beyond, double s) {
    const Index k = last(here.u);
    const double part = (s - here.u[k]) / (beyond[k] - here.u[k]);
    if (!std::isfinite(part)) return std::nullopt;
    Vector u = here.u + part * (beyond - here.u);
    u[k] = s;
    try {
      const auto zero = family_.at_same_parameter(u);
      return zero ? station_at(*zero, here.tangent) : std::nullopt;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  void look_between(const Station& here, const Station& next, EquilibriumBranch& branch) {
    const auto changes = [](double a, double b) { return (a < 0) != (b < 0); };
    std::vector<std::pair<double, EquilibriumBranchBifurcation>> found;
    const auto note = [&](EquilibriumBifurcation kind, const char* reason, const auto& test,
                          const auto& holds) {
      const std::optional<Station> zero = zero_between(here, next, test);
      if (!zero || !holds(*zero)) return;
      found.push_back({(zero->u - here.u).dot(here.tangent),
                       {.kind = kind,
                        .parameter = family_.parameter(zero->u[last(zero->u)]),
                        .equilibrium = zero->equilibrium,
                        .reason = reason}});
    };
    const auto always = [](const Station&) { return true; };
    if (changes(here.turn(), next.turn())) {
      note(
          EquilibriumBifurcation::fold, "an eigenvalue is 0, and the parameter turns",
          [](const Station& at) { return at.turn(); }, always);
    } else if (changes(here.border, next.border)) {
      note(
          EquilibriumBifurcation::branch_point, "an eigenvalue is 0, and the parameter does not turn",
          [](const Station& at) { return at.border; }, always);
    }
    if (here.equilibrium.eigenvalues.size() == next.equilibrium.eigenvalues.size() &&
        changes(here.pairs, next.pairs)) {
      note(
          EquilibriumBifurcation::hopf, "a complex pair of eigenvalues is on the imaginary axis",
          [](const Station& at) { return at.pairs; },
          [](const Station& at) { return has_pair_on_axis(at.equilibrium.eigenvalues); });
    }
    for (Index i = 0; i < here.margins.size(); ++i) {
      if (!changes(here.margins[i], next.margins[i])) continue;
      const Station& beyond = here.margins[i] < 0 ? here : next;
      const std::string reason = family_.limits(beyond.u)[static_cast<std::size_t>(i)].reason;
      note(
          EquilibriumBifurcation::boundary_equilibrium, reason.c_str(),
          [i](const Station& at) { return at.margins[i]; },
          [](const Station& at) { return at.equilibrium.admissible; });
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, bifurcation] : found) branch.bifurcations.push_back(std::move(bifurcation));
  }

  // The zero of a test function, searched along the tangent.
  template <class Test>
  std::optional<Station> zero_between(const Station& here, const Station& next, const Test& test) {
    const double whole = (next.u - here.u).dot(here.tangent);
    SecantBracket bracket{0, whole, test(here), test(next)};
    std::optional<Station> best;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostSecants && bracket.width() > 2 * kEpsilon * whole; ++k) {
      const double at = bracket.next();
      const Vector chord = here.u + (at / whole) * (next.u - here.u);
      std::optional<Station> middle =
          station_near(chord + (at - (chord - here.u).dot(here.tangent)) * here.tangent, here);
      if (!middle) break;
      const double value = test(*middle);
      if (std::abs(value) < least) {
        least = std::abs(value);
        best = middle;
      }
      if (value == 0) break;
      bracket.take(at, value);
    }
    return best;
  }

  EquilibriumFamily& family_;
  const EquilibriumBranchOptions& options_;
  double longest_;
};

// EquilibriumBranches follows all branches, from the equilibria at the points of the range.
class EquilibriumBranches {
 public:
  EquilibriumBranches(const std::function<Automaton(double)>& problem, const Run& run,
                      const EquilibriumBranchOptions& options)
      : run_(run), options_(options), range_{problem, options.first, options.last} {}

  std::vector<EquilibriumBranch> execute() {
    for (Index k = 0; k < options_.points; ++k) {
      const double s = static_cast<double>(k) / static_cast<double>(options_.points - 1);
      const double value = options_.first + s * (options_.last - options_.first);
      const SearchedEquilibria searched = search_equilibria(range_.problem(value), run_, options_.equilibria);
      for (const Equilibrium& one : searched.all.found)
        if (one.continuum == 0) begin_at(one, value, searched.sizes);
    }
    return result_;
  }

 private:
  void begin_at(const Equilibrium& one, double value, const Vector& sizes) {
    EquilibriumFamily family(range_, options_.equilibria.run.sliding_rule, run_.start, one, sizes);
    if (is_known(family, one, value, sizes)) return;
    EquilibriumFollower follower(family, options_);
    const Vector start = family.unknowns_of(one, value);
    EquilibriumBranch branch = follower.follow(start, true);
    if (value != options_.first) {
      EquilibriumBranch back = follower.follow(start, false);
      std::reverse(back.points.begin(), back.points.end());
      std::reverse(back.bifurcations.begin(), back.bifurcations.end());
      if (!back.points.empty()) back.points.pop_back();
      back.points.insert(back.points.end(), branch.points.begin(), branch.points.end());
      back.bifurcations.insert(back.bifurcations.end(), branch.bifurcations.begin(),
                               branch.bifurcations.end());
      if (branch.message.empty()) branch.message = back.message;
      branch.points = std::move(back.points);
      branch.bifurcations = std::move(back.bifurcations);
    }
    if (!branch.points.empty()) result_.push_back(std::move(branch));
  }

  // is_known() returns true if a branch that was followed before passes through this equilibrium.
  bool is_known(EquilibriumFamily& family, const Equilibrium& one, double value, const Vector& sizes) const {
    for (const EquilibriumBranch& branch : result_) {
      const Equilibrium& first = branch.points.front().equilibrium;
      if (first.mode != one.mode || first.location != one.location) continue;
      for (std::size_t k = 0; k + 1 < branch.points.size(); ++k) {
        const EquilibriumPoint &a = branch.points[k], &b = branch.points[k + 1];
        if ((a.parameter - value) * (b.parameter - value) > 0 || a.parameter == b.parameter) continue;
        const double part = (value - a.parameter) / (b.parameter - a.parameter);
        const Vector low = family.unknowns_of(a.equilibrium, value),
                     high = family.unknowns_of(b.equilibrium, value);
        try {
          const auto zero = family.at_same_parameter(low + part * (high - low));
          if (zero && (zero->head(sizes.size()) - one.state.cwiseQuotient(sizes)).lpNorm<Eigen::Infinity>() <=
                          kConvergedSlowly)
            return true;
        } catch (const std::exception&) {
          continue;
        }
      }
    }
    return false;
  }

  const Run& run_;
  const EquilibriumBranchOptions& options_;
  EquilibriumRange range_;
  std::vector<EquilibriumBranch> result_ = {};
};

}  // namespace

const char* to_string(EquilibriumBifurcation kind) {
  switch (kind) {
    case EquilibriumBifurcation::fold: return "SN";
    case EquilibriumBifurcation::branch_point: return "BP";
    case EquilibriumBifurcation::hopf: return "HB";
    case EquilibriumBifurcation::boundary_equilibrium: return "BE";
  }
  return "";
}

std::vector<EquilibriumBranch> follow_equilibria(const std::function<Automaton(double value)>& problem,
                                                 const Run& run, const EquilibriumBranchOptions& options) {
  check_parameter_range({.has_problem = static_cast<bool>(problem),
                         .first = options.first,
                         .last = options.last,
                         .points = options.points,
                         .most_points = options.most_points},
                        "equilibria cannot be followed", "follow_equilibria");
  refuse_cone_friction(problem(options.first), "branches of equilibria");
  return EquilibriumBranches(problem, run, options).execute();
}

}  // namespace slideway
