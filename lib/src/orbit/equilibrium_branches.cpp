#include "slideway/orbit/equilibrium_branches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/curve_follower.hpp"
#include "orbit/eigenvalue_pairs.hpp"
#include "orbit/equilibrium_family.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/equilibrium_search.hpp"
#include "orbit/parameter_range.hpp"

namespace slideway {

namespace {

// A branch ends where a step would be shorter than this part of the longest one. The tests of orbits pass with 1e-8 and 1e-6.
constexpr double kShortestStep = 1e-7;

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
    const CurveEnd end = follow_curve(
        *here,
        {.longest = longest_, .shortest = kShortestStep * longest_, .most_points = options_.most_points},
        near_, [&](const Station& before, const Station& next) {
          look_between(before, next, branch);
          add_point(next, branch);
        });
    const std::string reached = number_text(branch.points.back().parameter);
    if (end == CurveEnd::lost) branch.message = "the branch ends near " + reached;
    if (end == CurveEnd::too_many) branch.message = "the greatest number of points is reached at " + reached;
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
      result.pairs = product_of_sums(found->eigenvalues, largest_of(found->eigenvalues));
      const std::vector<EquilibriumLimit> limits = family_.limits(u);
      result.margins.resize(static_cast<Index>(limits.size()));
      for (std::size_t i = 0; i < limits.size(); ++i)
        result.margins[static_cast<Index>(i)] = limits[i].margin;
      return result;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  // The zero on the plane through `point` across `normal`, with the tangent on the side of `along`.
  std::optional<Station> station_near(const Vector& point, const Vector& normal, const Vector& along) {
    try {
      const auto zero = newton_zero(
          [&](const Vector& u, Vector& value, Matrix& jacobian) {
            Vector equations;
            Matrix wide;
            family_.evaluate(u, equations, wide);
            value.resize(u.size());
            jacobian.resize(u.size(), u.size());
            value << equations, normal.dot(u - point);
            jacobian << wide, normal.transpose();
          },
          point);
      if (!zero) return std::nullopt;
      return station_at(*zero, along);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  void look_between(const Station& here, const Station& next, EquilibriumBranch& branch) {
    const auto changes = [](double a, double b) { return (a < 0) != (b < 0); };
    std::vector<std::pair<double, EquilibriumBranchBifurcation>> found;
    const auto note = [&](EquilibriumBifurcation kind, const char* reason, const auto& test,
                          const auto& holds) {
      const std::optional<Station> zero = zero_between(here, next, near_, test);
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

  EquilibriumFamily& family_;
  const EquilibriumBranchOptions& options_;
  double longest_;
  std::function<std::optional<Station>(const Vector&, const Vector&, const Vector&)> near_ =
      [this](const Vector& point, const Vector& normal, const Vector& along) {
        return station_near(point, normal, along);
      };
};

// EquilibriumBranches follows all branches, from the equilibria at the points of the range.
class EquilibriumBranches {
 public:
  EquilibriumBranches(const std::function<Automaton(double)>& problem, const Run& run,
                      const EquilibriumBranchOptions& options)
      : run_(run),
        options_(options),
        problem_(problem),
        range_(one_parameter(problem, options.first, options.last)) {}

  std::vector<EquilibriumBranch> execute() {
    for (Index k = 0; k < options_.points; ++k) {
      const double s = static_cast<double>(k) / static_cast<double>(options_.points - 1);
      const double value = options_.first + s * (options_.last - options_.first);
      const SearchedEquilibria searched = search_equilibria(problem_(value), run_, options_.equilibria);
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
  const std::function<Automaton(double)>& problem_;
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
