#include "slideway/orbit/equilibrium_curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/boundary_partner.hpp"
#include "orbit/curve_follower.hpp"
#include "orbit/eigenvalue_pairs.hpp"
#include "orbit/equilibrium_condition.hpp"
#include "orbit/equilibrium_family.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/equilibrium_search.hpp"
#include "orbit/parameter_range.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// A curve ends where a step would be shorter than this part of the longest one, as a branch does.
constexpr double kShortestCurveStep = 1e-7;
// Two eigenvalues that are 0 at once are known to the root of the rounding unit, and are small beside those of the curve around.
constexpr double kBothZero = 1e-4;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A zero on a curve, with the unit tangent there and the second functions, NaN where one has no value.
struct CurveStation {
  Vector u = {};
  Vector tangent = {};
  Equilibrium equilibrium = {};
  Vector margins = {};
  double bend = kNone;         // of SN
  double pairs = kNone;        // ∏(μᵢ + μⱼ), of HB without the pair that vanishes
  double pair = kNone;         // of HB: the product of the two eigenvalues whose sum vanishes
  double rest = kNone;         // of HB: the product of the others
  double determinant = kNone;  // of F_z, of BE
  BoundaryPartner::Meeting meeting = {};

  double size() const { return largest_of(equilibrium.eigenvalues); }
};

double product_of_part(const std::vector<std::complex<double>>& values, std::size_t first, std::size_t end,
                       double size) {
  std::complex<double> product = 1;
  for (std::size_t i = first; i < end; ++i) product *= values[i] / size;
  return product.real();
}

bool differ_in_sign(double a, double b) { return std::isfinite(a) && std::isfinite(b) && (a < 0) != (b < 0); }

// A curve that was followed, with its equations.
struct Followed {
  std::unique_ptr<EquilibriumFamily> family;
  std::unique_ptr<EquilibriumCondition> condition;
  std::unique_ptr<BoundaryPartner> partner;  // of BE
  std::vector<CurveStation> stations = {};
  // The unit of eigenvalues in the second functions, that of the last point: where all eigenvalues vanish there is none.
  double unit = 1;

  void go_on_from(const CurveStation& station) {
    condition->prepare(station.u);
    if (station.size() > 0) unit = station.size();
  }
};

class CurveEquations {
 public:
  explicit CurveEquations(Followed& curve) : curve_(curve) {}

  // The station on the plane through `point` across `normal`, with the tangent on the side of `along`.
  std::optional<CurveStation> operator()(const Vector& point, const Vector& normal, const Vector& along) {
    try {
      const auto zero = newton_zero(
          [&](const Vector& u, Vector& value, Matrix& jacobian) {
            Vector head;
            Matrix wide;
            evaluate(u, head, wide);
            value.resize(u.size());
            jacobian.resize(u.size(), u.size());
            value << head, normal.dot(u - point);
            jacobian << wide, normal.transpose();
          },
          point);
      if (!zero) return std::nullopt;
      return station_at(*zero, along);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  // F and g, and their derivatives by u.
  void evaluate(const Vector& u, Vector& value, Matrix& jacobian) {
    Vector equations;
    Matrix wide;
    curve_.family->evaluate(u, equations, wide);
    double condition = 0;
    curve_.condition->evaluate(u, condition, by_u_);
    value.resize(u.size() - 1);
    jacobian.resize(u.size() - 1, u.size());
    value << equations, condition;
    jacobian << wide, by_u_.transpose();
  }

  std::optional<CurveStation> station_at(const Vector& u, const Vector& along) {
    const Index k = u.size() - 1;
    CurveStation result{.u = u};
    Vector value;
    Matrix wide;
    evaluate(u, value, wide);
    if (curve_.condition->kind() == EquilibriumBifurcation::fold) result.bend = curve_.condition->bend(by_u_);
    scale_rows(wide, value);
    Matrix bordered(k + 1, k + 1);
    bordered << wide, along.transpose();
    result.tangent = bordered.fullPivLu().solve(Vector(Vector::Unit(k + 1, k)));
    if (!result.tangent.allFinite() || !(result.tangent.norm() > 0)) return std::nullopt;
    result.tangent.normalize();
    const std::optional<Equilibrium> found = curve_.family->describe(u);
    if (!found) return std::nullopt;
    result.equilibrium = *found;
    const std::vector<EquilibriumLimit> limits = curve_.family->limits(u);
    result.margins.resize(static_cast<Index>(limits.size()));
    for (std::size_t i = 0; i < limits.size(); ++i) result.margins[static_cast<Index>(i)] = limits[i].margin;
    test(result);
    return result;
  }

  void test(CurveStation& station) {
    const double size = curve_.unit;
    if (curve_.condition->kind() != EquilibriumBifurcation::hopf) {
      station.pairs = product_of_sums(station.equilibrium.eigenvalues, size);
    } else {
      const auto values = least_pair_first(station.equilibrium.eigenvalues);
      station.pair = product_of_part(values, 0, 2, size);
      station.rest = product_of_part(values, 2, values.size(), size);
      std::complex<double> product = 1;
      for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t j = std::max<std::size_t>(i + 1, 2); j < values.size(); ++j)
          product *= (values[i] + values[j]) / size;
      station.pairs = product.real();
    }
    if (curve_.condition->kind() != EquilibriumBifurcation::boundary_equilibrium) return;
    station.determinant = scaled_determinant(*curve_.family, station.u);
    if (curve_.partner) station.meeting = curve_.partner->at(station.u);
  }

  Followed& curve_;
  Vector by_u_ = {};
};

class CurveSearch {
 public:
  CurveSearch(const std::function<Automaton(double, double)>& problem, const Run& run,
              const EquilibriumCurveOptions& options)
      : problem_(problem),
        run_(run),
        options_(options),
        range_{.problem = [&problem](ConstVectorRef values) { return problem(values[0], values[1]); },
               .first = Vector{{options.first.first, options.second.first}},
               .last = Vector{{options.first.last, options.second.last}}} {}

  std::vector<EquilibriumCurve> execute() {
    const auto along_first = [&](double value) { return problem_(value, options_.begin); };
    sizes_ = search_equilibria(along_first(options_.first.first), run_, options_.equilibria).sizes;
    const std::vector<EquilibriumBranch> branches = follow_equilibria(along_first, run_,
                                                                      {.equilibria = options_.equilibria,
                                                                       .first = options_.first.first,
                                                                       .last = options_.first.last,
                                                                       .points = options_.first.points,
                                                                       .most_points = options_.most_points});
    for (const EquilibriumBranch& branch : branches)
      for (const EquilibriumBranchBifurcation& found : branch.bifurcations)
        if (found.kind != EquilibriumBifurcation::branch_point &&
            (!options_.kind || *options_.kind == found.kind))
          begin_at(found);
    return result_;
  }

 private:
  double share(Index which, const Vector& u) const { return u[u.size() - 2 + which]; }
  double parameter(Index which, const Vector& u) const {
    return range_.first[which] + share(which, u) * (range_.last[which] - range_.first[which]);
  }

  void begin_at(const EquilibriumBranchBifurcation& found) {
    const SlidingRule rule = options_.equilibria.run.sliding_rule;
    Followed curve;
    curve.family = std::make_unique<EquilibriumFamily>(range_, rule, run_.start, found.equilibrium, sizes_);
    const Vector start =
        curve.family->unknowns_of(found.equilibrium, Vector{{found.parameter, options_.begin}});
    if (std::any_of(followed_.begin(), followed_.end(),
                    [&](const Followed& other) { return passes(other, found, start); }))
      return;
    Index limit = 0;
    if (found.kind == EquilibriumBifurcation::boundary_equilibrium) {
      const std::vector<EquilibriumLimit> limits = curve.family->limits(start);
      for (std::size_t i = 1; i < limits.size(); ++i)
        if (std::abs(limits[i].margin) < std::abs(limits[static_cast<std::size_t>(limit)].margin))
          limit = static_cast<Index>(i);
      curve.partner =
          std::make_unique<BoundaryPartner>(range_, rule, run_.start, sizes_, *curve.family, limit, start);
    }
    curve.condition = std::make_unique<EquilibriumCondition>(*curve.family, found.kind, limit);
    EquilibriumCurve shown{.kind = found.kind, .reason = found.reason};
    follow_from(start, curve, shown);
    if (shown.points.empty()) return;
    result_.push_back(std::move(shown));
    followed_.push_back(std::move(curve));
  }

  // passes() returns true if the curve goes through this bifurcation of a branch in its mode or, at a boundary, in the other one.
  bool passes(const Followed& curve, const EquilibriumBranchBifurcation& found, const Vector& start) const {
    if (curve.condition->kind() != found.kind) return false;
    const Equilibrium& one = curve.stations.front().equilibrium;
    const bool is_alike = one.mode == found.equilibrium.mode ||
                          (curve.partner && curve.partner->mode() == found.equilibrium.mode);
    if (one.location != found.equilibrium.location || !is_alike) return false;
    Vector u = curve.family->unknowns_of(found.equilibrium, Vector{{found.parameter, options_.begin}});
    u.tail(2) = start.tail(2);
    for (std::size_t k = 0; k + 1 < curve.stations.size(); ++k) {
      const Vector chord = curve.stations[k + 1].u - curve.stations[k].u;
      const double length = chord.norm(), part = (u - curve.stations[k].u).dot(chord) / (length * length);
      const double beside = (u - curve.stations[k].u - part * chord).norm();
      if (part >= -kConvergedSlowly && part <= 1 + kConvergedSlowly && beside <= kNearPrediction * length)
        return true;
    }
    return false;
  }

  // Both directions from a zero of the equations.
  void follow_from(const Vector& start, Followed& curve, EquilibriumCurve& shown) {
    CurveEquations near(curve);
    std::optional<CurveStation> here;
    try {
      curve.condition->prepare(start);
      // The branch in a crosses the curve there, unless it is tangent to it.
      for (const Index unknown : {start.size() - 1, start.size() - 2}) {
        const Vector across = Vector::Unit(start.size(), unknown);
        here = near(start, across, across);
        if (here) break;
      }
    } catch (const std::exception&) {
      here.reset();
    }
    if (!here) return;
    std::vector<CurveStation> back;
    std::vector<EquilibriumSpecialPoint> special_back;
    std::string message;
    const EquilibriumCondition at_start = *curve.condition;
    if (here->size() > 0) curve.unit = here->size();
    const double unit = curve.unit;
    for (const double direction : {-1.0, 1.0}) {
      std::vector<CurveStation> way = {*here};
      way.front().tangent *= direction;
      std::vector<EquilibriumSpecialPoint> special;
      // The sides of the borders are those that the tests at the begin have.
      curve.condition = std::make_unique<EquilibriumCondition>(at_start);
      curve.unit = unit;
      const CurveEnd end = follow_curve(
          way.front(),
          {.longest = 1.0 / static_cast<double>(std::max(options_.first.points, options_.second.points) - 1),
           .shortest = kShortestCurveStep,
           .shares = 2,
           .most_points = options_.most_points},
          near, [&](const CurveStation& before, const CurveStation& next) {
            look_between(before, next, curve, near, special);
            way.push_back(next);
            curve.go_on_from(next);
          });
      shown.closed = end == CurveEnd::closed;
      if (end == CurveEnd::lost || end == CurveEnd::too_many) {
        const Vector& last = way.back().u;
        message = (end == CurveEnd::lost ? "the curve ends near ("
                                         : "the greatest number of points is reached at (") +
                  number_text(parameter(0, last)) + ", " + number_text(parameter(1, last)) + ")";
      }
      if (direction < 0 && !shown.closed) {
        back = std::move(way);
        special_back = std::move(special);
        continue;
      }
      if (!back.empty()) {
        std::reverse(back.begin(), back.end());
        back.pop_back();
        std::reverse(special_back.begin(), special_back.end());
      }
      curve.stations = std::move(back);
      curve.stations.insert(curve.stations.end(), way.begin(), way.end());
      shown.special = std::move(special_back);
      shown.special.insert(shown.special.end(), special.begin(), special.end());
      break;
    }
    shown.message = message;
    for (const CurveStation& station : curve.stations) shown.points.push_back(point_of(station, curve));
  }

  EquilibriumCurvePoint point_of(const CurveStation& station, const Followed& curve) const {
    const bool is_hopf = curve.condition->kind() == EquilibriumBifurcation::hopf;
    return {.first = parameter(0, station.u),
            .second = parameter(1, station.u),
            .equilibrium = station.equilibrium,
            .neutral_saddle = is_hopf && station.pair < 0,
            .boundary = station.meeting.kind};
  }

  void look_between(const CurveStation& here, const CurveStation& next, const Followed& curve,
                    CurveEquations& near, std::vector<EquilibriumSpecialPoint>& special) const {
    std::vector<std::pair<double, EquilibriumSpecialPoint>> found;
    const double size = std::max(here.size(), next.size());
    using Kind = EquilibriumCodimensionTwo;
    const auto add = [&](const CurveStation& zero, Kind kind, std::string reason) {
      found.push_back({(zero.u - here.u).dot(here.tangent),
                       {.kind = kind,
                        .first = parameter(0, zero.u),
                        .second = parameter(1, zero.u),
                        .equilibrium = zero.equilibrium,
                        .reason = std::move(reason)}});
    };
    const auto zero_of = [&](const auto& value) -> std::optional<CurveStation> {
      if (!differ_in_sign(value(here), value(next))) return std::nullopt;
      return zero_between(here, next, near, value);
    };
    const auto is_zero = [&](const std::complex<double>& value) {
      return std::abs(value) <= kBothZero * size;
    };
    const EquilibriumBifurcation kind = curve.condition->kind();
    const bool has_same_count = here.equilibrium.eigenvalues.size() == next.equilibrium.eigenvalues.size();
    if (kind == EquilibriumBifurcation::fold) {
      if (const auto zero = zero_of([](const CurveStation& at) { return at.bend; }))
        add(*zero, Kind::cusp, "both parameters turn");
      if (const auto zero =
              has_same_count ? zero_of([](const CurveStation& at) { return at.pairs; }) : std::nullopt) {
        const auto values = least_pair_first(zero->equilibrium.eigenvalues);
        if (is_zero(values[0]) && is_zero(values[1])) {
          add(*zero, Kind::bogdanov_takens, "two eigenvalues are 0");
        } else if (has_pair_on_axis(values)) {
          add(*zero, Kind::fold_hopf, "a complex pair of eigenvalues is on the imaginary axis");
        }
      }
    } else if (kind == EquilibriumBifurcation::hopf && has_same_count) {
      if (const auto zero = zero_of([](const CurveStation& at) { return at.pair; }))
        add(*zero, Kind::bogdanov_takens, "two eigenvalues are 0");
      if (const auto zero = zero_of([](const CurveStation& at) { return at.rest; }))
        add(*zero, Kind::fold_hopf, "an eigenvalue is 0");
      if (const auto zero = zero_of([](const CurveStation& at) { return at.pairs; })) {
        const auto values = least_pair_first(zero->equilibrium.eigenvalues);
        if (has_pair_on_axis({values.begin() + 2, values.end()}) && values[0].imag() != 0)
          add(*zero, Kind::double_hopf, "a second complex pair of eigenvalues is on the imaginary axis");
      }
    } else if (kind == EquilibriumBifurcation::boundary_equilibrium) {
      if (const auto zero = zero_of([](const CurveStation& at) { return at.determinant; }))
        add(*zero, Kind::boundary_fold, "an eigenvalue is 0");
      if (const auto zero = zero_of([](const CurveStation& at) { return at.meeting.determinant; }))
        add(*zero, Kind::boundary_fold, "an eigenvalue of the equilibrium that is met is 0");
      if (const auto zero =
              has_same_count ? zero_of([](const CurveStation& at) { return at.pairs; }) : std::nullopt)
        if (has_pair_on_axis(zero->equilibrium.eigenvalues))
          add(*zero, Kind::boundary_hopf, "a complex pair of eigenvalues is on the imaginary axis");
    }
    for (Index i = 0; i < here.margins.size(); ++i) {
      const bool is_its_own =
          kind == EquilibriumBifurcation::boundary_equilibrium && i == curve.condition->limit();
      if (is_its_own) continue;
      const auto zero = zero_of([i](const CurveStation& at) { return at.margins[i]; });
      if (!zero || !zero->equilibrium.admissible) continue;
      const CurveStation& beyond = here.margins[i] < 0 ? here : next;
      const std::string reason = curve.family->limits(beyond.u)[static_cast<std::size_t>(i)].reason;
      add(*zero,
          kind == EquilibriumBifurcation::fold   ? Kind::boundary_fold
          : kind == EquilibriumBifurcation::hopf ? Kind::boundary_hopf
                                                 : Kind::double_boundary,
          reason);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, point] : found) special.push_back(std::move(point));
  }

  const std::function<Automaton(double, double)>& problem_;
  const Run& run_;
  const EquilibriumCurveOptions& options_;
  EquilibriumRange range_;
  Vector sizes_ = {};
  std::vector<Followed> followed_ = {};
  std::vector<EquilibriumCurve> result_ = {};
};

}  // namespace

const char* to_string(EquilibriumCodimensionTwo kind) {
  switch (kind) {
    case EquilibriumCodimensionTwo::cusp: return "CP";
    case EquilibriumCodimensionTwo::bogdanov_takens: return "BT";
    case EquilibriumCodimensionTwo::fold_hopf: return "ZH";
    case EquilibriumCodimensionTwo::double_hopf: return "HH";
    case EquilibriumCodimensionTwo::boundary_fold: return "SN+BE";
    case EquilibriumCodimensionTwo::boundary_hopf: return "HB+BE";
    case EquilibriumCodimensionTwo::double_boundary: return "BE+BE";
  }
  return "";
}

std::vector<EquilibriumCurve> follow_equilibrium_curves(
    const std::function<Automaton(double first, double second)>& problem, const Run& run,
    const EquilibriumCurveOptions& options) {
  const char* const where = "follow_equilibrium_curves";
  check_parameter_plane(options.first, options.second, options.begin, static_cast<bool>(problem), where);
  if (options.kind == EquilibriumBifurcation::branch_point) {
    refuse({.what = "branch points have no curve in general",
            .where = where,
            .expected = "SN, HB or BE",
            .got = "BP",
            .advice = "a second parameter unfolds a branch point: follow the folds beside it"});
  }
  refuse_cone_friction(problem(options.first.first, options.begin), "curves of equilibria");
  return CurveSearch(problem, run, options).execute();
}

}  // namespace slideway
