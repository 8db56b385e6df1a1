#include "slideway/orbit/orbit_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/numbered_states.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/curve_follower.hpp"
#include "orbit/defining_function.hpp"
#include "orbit/orbit_condition.hpp"
#include "orbit/orbit_plane.hpp"
#include "orbit/parameter_range.hpp"
#include "orbit/regular_times.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// The levels ε, 2ε and 4ε of a one-sided function, in units in which it changes by as much as the orbits do, and the weights of their parabola
// at 0. A parabola is off by 4/3 ε³ times a third derivative, and errors of runs count five times.
constexpr std::array<double, 3> kLevels = {1e-4, 2e-4, 4e-4};
constexpr std::array<double, 3> kWeightsAtZero = {8.0 / 3, -2.0, 1.0 / 3};
// Of differences by unknowns, the longest first: far above the errors of runs. Shorter ones serve where the function ends beside the lowest level.
constexpr std::array<double, 3> kPlaneSteps = {1e-5, 1e-6, 1e-7};
// A curve ends where a step would be shorter than this part of the longest one.
constexpr double kShortestOrbitStep = 1e-3;
constexpr double kLongestPlaneStep = 0.3;  // of Newton's method
constexpr int kMostPlaneSteps = 25;
// Newton's method begins so far inside of a one-sided function, in parts of the longest step: where a curve bends the prediction is beyond.
constexpr std::array<double, 4> kInside = {0, 0.03, 0.1, 0.3};

// Runs so far behind the end of a branch tell what is touched there, in shares of the range, and orbits so far in front have room for the levels.
constexpr std::array<double, 3> kBehind = {1e-4, 1e-3, 1e-2};
constexpr double kRoomInside = 2e-3;
// The zero of a second function behind the end of a curve is not farther than this part of the longest step.
constexpr double kNearEnd = 0.1;
// Runs so far behind the end of a curve, in parts of the longest step, tell which other events change there.
constexpr std::array<double, 4> kAheadOfEnd = {0.01, 0.03, 0.1, 0.3};
// A function that is smaller all along a curve is that of the curve.
constexpr double kZeroOnCurve = 1e-7;

struct OrbitStation {
  Vector u = {};
  Vector tangent = {};
  Vector side = {};    // u at the lowest level, where an orbit has the function
  Vector inside = {};  // the unit direction into the side; empty on curves of multipliers
  OrbitSecondFunctions second = {};
  std::vector<Vector> levels = {};  // u at the levels of a one-sided function, or at the zero alone
};

double combined(const std::array<double, 3>& values) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += kWeightsAtZero[k] * values[k];
  return sum;
}

// F and g of one curve, and their zeros.
class OrbitCurveEquations {
 public:
  OrbitCurveEquations(OrbitPlane& plane, OrbitCondition& condition, double rtol, double longest)
      : plane_(plane), condition_(condition), rtol_(rtol), longest_(longest) {}

  // The station on the plane through `point` across `normal`, with the tangent on the side of `along`.
  std::optional<OrbitStation> operator()(const Vector& point, const Vector& normal, const Vector& along) {
    try {
      if (!condition_.is_one_sided()) {
        const auto zero = newton(point, 0, point, normal);
        return zero ? station_of({*zero}, along) : std::nullopt;
      }
      for (const double part : kInside) {
        const Vector begin =
            inside_.size() == 0 ? point : Vector(point + (kLevels[2] + part * longest_) * inside_);
        std::array<Vector, 3> zeros;
        const auto third = newton(begin, kLevels[2], point, normal);
        if (third) {
          zeros[2] = *third;
          const auto second =
              newton(inside_.size() == 0 ? *third : Vector(*third - (kLevels[2] - kLevels[1]) * inside_),
                     kLevels[1], point, normal);
          if (!second) return std::nullopt;
          zeros[1] = *second;
          const auto first = newton(Vector(1.5 * *second - 0.5 * *third), kLevels[0], point, normal);
          if (!first) return std::nullopt;
          zeros[0] = *first;
          return station_of({zeros[0], zeros[1], zeros[2]}, along);
        }
        if (inside_.size() == 0) break;
      }
    } catch (const std::exception&) {
      // The problem has no value there.
    }
    return std::nullopt;
  }

  // go_on_from() takes the borders and the direction into the side from a station.
  void go_on_from(const OrbitStation& station) {
    inside_ = station.inside;
    if (condition_.is_one_sided()) {
      // The levels stay at their distances from the curve.
      const double spread = (station.levels[1] - station.levels[0]).norm() / (kLevels[1] - kLevels[0]);
      if (!(spread > 0)) return;
      unit_ /= spread;
      if (kept_.size() > 0) kept_.row(kept_.rows() - 1) *= spread;
      return;
    }
    if (const auto shot = plane_.shot(station.u)) condition_.prepare(*shot);
  }

 private:
  // F and g, in its units.
  std::optional<Vector> value(const Vector& u) {
    const std::optional<PlaneShot> shot = plane_.shot(u);
    const std::optional<double> g = shot ? condition_.value(*shot) : std::nullopt;
    if (!g) return std::nullopt;
    Vector result(shot->value.size() + 1);
    result << shot->value, *g / unit_;
    return result;
  }

  // The derivatives of F and g by u, m + 1 rows. The function may end beside u: then steps are shorter, and at
  // last on one side.
  std::optional<Matrix> derivative(const Vector& u) {
    const std::optional<PlaneShot> shot = plane_.shot(u);
    const std::optional<Vector> here = value(u);
    if (!shot || !here) return std::nullopt;
    const Index m = plane_.equations();
    Matrix result(m + 1, m + 2);
    for (Index j = 0; j < m + 2; ++j) {
      std::optional<Vector> one_sided;
      bool is_known = false;
      for (const double step : kPlaneSteps) {
        Vector moved = u;
        moved[j] = u[j] + step;
        const std::optional<Vector> above = value(moved);
        moved[j] = u[j] - step;
        const std::optional<Vector> below = value(moved);
        is_known = above && below;
        if (is_known) result.col(j) = (*above - *below) / (2 * step);
        if (is_known) break;
        if (!one_sided && above) one_sided = Vector((*above - *here) / step);
        if (!one_sided && below) one_sided = Vector((*here - *below) / step);
      }
      if (is_known) continue;
      if (!one_sided) return std::nullopt;
      result.col(j) = *one_sided;
    }
    result.topLeftCorner(m, m) = shot->by_y;
    return result;
  }

  // The zero of F, g − level and the plane, by Newton's method whose derivative is kept while it serves.
  std::optional<Vector> newton(Vector u, double level, const Vector& point, const Vector& normal) {
    const Index size = u.size();
    Eigen::PartialPivLU<Matrix> solver;
    if (kept_.size() > 0) solver.compute(with_normal(normal));
    bool is_fresh = false;
    Vector before = u;
    double last = std::numeric_limits<double>::infinity();
    double best_size = last;
    Vector best = u;
    for (int k = 0; k < kMostPlaneSteps; ++k) {
      const std::optional<Vector> head = value(u);
      if (!head) {
        if (k == 0) return std::nullopt;
        u = 0.5 * (u + before).eval();
        if ((u - before).norm() < 1e-12) return std::nullopt;
        continue;
      }
      Vector residual(size);
      residual << *head, normal.dot(u - point);
      residual[size - 2] -= level;
      double now = residual.lpNorm<Eigen::Infinity>();
      if (now < best_size) {
        best_size = now;
        best = u;
      }
      const bool is_slow = now > 10 * rtol_ && now > 0.2 * last;
      if (kept_.size() == 0 || is_slow) {
        if (is_fresh && now > 0.9 * last) break;
        const std::optional<Matrix> wide = derivative(u);
        if (!wide) return std::nullopt;
        if (!has_unit_) {
          // The unit of g is its change along the orbits of the plane, per length of u.
          Matrix orbits(size - 1, size);
          orbits << wide->topRows(size - 2), normal.transpose();
          const Vector along = orbits.fullPivLu().kernel().col(0).normalized();
          const double change = std::abs(wide->row(size - 2).dot(along));
          unit_ = change > 0 ? change : 1;
          has_unit_ = true;
          kept_ = *wide;
          kept_.row(size - 2) /= unit_;
          residual[size - 2] = (residual[size - 2] + level) / unit_ - level;
          now = residual.lpNorm<Eigen::Infinity>();
        } else {
          kept_ = *wide;
        }
        solver.compute(with_normal(normal));
        is_fresh = true;
      } else {
        is_fresh = false;
      }
      Vector step = solver.solve(residual);
      if (!step.allFinite()) return std::nullopt;
      if (now <= 10 * rtol_) return Vector(u - step);
      const double length = step.norm();
      if (length > kLongestPlaneStep) step *= kLongestPlaneStep / length;
      before = u;
      u -= step;
      last = now;
    }
    if (best_size <= 1000 * rtol_) return best;
    return std::nullopt;
  }

  Matrix with_normal(const Vector& normal) const {
    Matrix square(kept_.cols(), kept_.cols());
    square << kept_, normal.transpose();
    return square;
  }

  std::optional<OrbitStation> station_of(const std::vector<Vector>& levels, const Vector& along) {
    OrbitStation result{.u = levels.front(), .side = levels.front(), .levels = levels};
    std::vector<OrbitSecondFunctions> second;
    for (const Vector& u : levels) {
      const std::optional<PlaneShot> shot = plane_.shot(u);
      if (!shot) return std::nullopt;
      second.push_back(condition_.second(*shot));
    }
    result.second = second.front();
    if (levels.size() == 3) {
      result.u = Vector::Zero(levels[0].size());
      for (std::size_t k = 0; k < 3; ++k) result.u += kWeightsAtZero[k] * levels[k];
      for (double OrbitSecondFunctions::*of :
           {&OrbitSecondFunctions::fold, &OrbitSecondFunctions::doubling, &OrbitSecondFunctions::circle,
            &OrbitSecondFunctions::third, &OrbitSecondFunctions::fourth, &OrbitSecondFunctions::curvature})
        result.second.*of = combined({second[0].*of, second[1].*of, second[2].*of});
      result.inside = (levels[1] - levels[0]).normalized();
    }
    const std::optional<Matrix> wide = derivative(result.side);
    if (!wide) return std::nullopt;
    kept_ = *wide;
    const Matrix square = with_normal(along);
    const Index size = result.u.size();
    result.tangent = square.fullPivLu().solve(Vector(Vector::Unit(size, size - 1)));
    if (!result.tangent.allFinite() || !(result.tangent.norm() > 0)) return std::nullopt;
    result.tangent.normalize();
    return result;
  }

  OrbitPlane& plane_;
  OrbitCondition& condition_;
  double rtol_, longest_;
  Matrix kept_ = {};  // the derivatives of F and g that Newton's method goes on with
  double unit_ = 1;
  bool has_unit_ = false;
  Vector inside_ = {};
};

class OrbitCurveSearch {
 public:
  OrbitCurveSearch(const OrbitPlaneFamily& family, const OrbitGuess& guess, const OrbitCurveOptions& options)
      : family_(family), guess_(guess), options_(options), along_(options.branch.value_or(options.first)) {}

  OrbitCurves execute() {
    OrbitFamily along{.problem = [&](double value) { return family_.problem(value, options_.begin); }};
    if (family_.period) along.period = [&](double value) { return family_.period(value, options_.begin); };
    result_.branch = follow_periodic_orbit(along, guess_,
                                           {.orbit = options_.orbit,
                                            .first = along_.first,
                                            .last = along_.last,
                                            .points = along_.points,
                                            .most_points = options_.most_points});
    if (result_.branch.points.empty()) return std::move(result_);
    take_period(result_.branch.points.front().orbit);
    for (const BranchBifurcation& found : result_.branch.bifurcations) {
      const bool is_wanted = options_.kind ? *options_.kind == found.kind : has_curve(found.kind);
      if (!is_wanted || passes(found)) continue;
      begin_at(found);
      if (!options_.kind && !result_.curves.empty()) break;
    }
    return std::move(result_);
  }

  static bool has_curve(Bifurcation kind) {
    return kind != Bifurcation::branch_point && kind != Bifurcation::boundary_equilibrium &&
           kind != Bifurcation::other;
  }

 private:
  // The period of time events, where the equations do not depend on time otherwise.
  void take_period(const PeriodicOrbit& orbit) {
    if (orbit.autonomous || family_.period) return;
    const std::optional<double> schedule = schedule_period(family_.problem(along_.first, options_.begin));
    if (!schedule) return;
    const double multiple = std::round(orbit.period / *schedule);
    family_.period = [problem = family_.problem, multiple](double first, double second) {
      const std::optional<double> here = schedule_period(problem(first, second));
      if (!here) throw std::invalid_argument("the time events have no common period");
      return multiple * *here;
    };
  }

  // A curve that was followed goes through this bifurcation where it crosses the branch at its parameter.
  bool passes(const BranchBifurcation& found) const {
    for (const OrbitCurve& curve : result_.curves) {
      if (curve.kind != found.kind) continue;
      for (std::size_t k = 0; k + 1 < curve.points.size(); ++k) {
        const OrbitCurvePoint &one = curve.points[k], &other = curve.points[k + 1];
        if ((one.second - options_.begin) * (other.second - options_.begin) > 0) continue;
        const double width = std::abs(options_.first.last - options_.first.first) /
                             static_cast<double>(options_.first.points - 1);
        if (std::abs(one.first - found.parameter) <= width &&
            std::abs(other.first - found.parameter) <= width)
          return true;
      }
    }
    return false;
  }

  // The neighbours of the bifurcation on the branch.
  struct Neighbours {
    const BranchPoint* before = nullptr;
    const BranchPoint* after = nullptr;
  };
  Neighbours neighbours_of(const BranchBifurcation& found) const {
    const std::vector<BranchPoint>& points = result_.branch.points;
    Neighbours result;
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      const BranchPoint &one = points[k], &other = points[k + 1];
      const bool is_between = (one.parameter - found.parameter) * (other.parameter - found.parameter) <= 0;
      if (!is_between || one.orbit.signature == other.orbit.signature) continue;
      result = {&one, &other};
      if (one.orbit.signature == found.before && other.orbit.signature == found.after) break;
    }
    return result;
  }

  // An orbit of the branch in front of a bifurcation at its end, with room for the levels of the function.
  const BranchPoint* last_inside(const BranchBifurcation& found) const {
    const std::vector<BranchPoint>& points = result_.branch.points;
    for (auto point = points.rbegin(); point != points.rend(); ++point)
      if (std::abs(point->parameter - found.parameter) >=
          kRoomInside * std::abs(options_.first.last - options_.first.first))
        return &*point;
    return nullptr;
  }

  // function_behind() finds the function of a bifurcation at the end of the branch by the events of a run behind it.
  std::optional<DefiningFunction> function_behind(const BranchBifurcation& found) {
    OrbitPlane plane(family_, options_, found.orbit, found.parameter, options_.begin);
    const Vector u = plane.unknowns_of(found.orbit, found.parameter, options_.begin);
    // The branch may go along a part of the span, and backwards.
    const double share = (along_.last - along_.first) / (options_.first.last - options_.first.first);
    for (const double ahead : kBehind) {
      Vector moved = u;
      moved[u.size() - 2] += share * ahead;
      const std::optional<PlaneShot> shot = plane.shot(moved);
      if (!shot) continue;
      std::optional<DefiningFunction> function =
          defining_function(found.orbit, shot->orbit, options_.orbit.run.sliding_rule);
      if (function && function->of_one && function->kind == found.kind) return function;
    }
    return std::nullopt;
  }

  void begin_at(const BranchBifurcation& found) {
    OrbitCurve curve{
        .kind = found.kind, .before = found.before, .after = found.after, .reason = found.reason};
    const bool is_of_multipliers = found.kind == Bifurcation::fold ||
                                   found.kind == Bifurcation::period_doubling ||
                                   found.kind == Bifurcation::torus;
    PeriodicOrbit anchor = found.orbit;
    double parameter = found.parameter;
    std::optional<DefiningFunction> function;
    if (!is_of_multipliers) {
      const Neighbours neighbours = neighbours_of(found);
      const BranchPoint* side = nullptr;
      if (neighbours.before != nullptr) {
        function = defining_function(neighbours.before->orbit, neighbours.after->orbit,
                                     options_.orbit.run.sliding_rule);
        if (function) side = function->of_one ? neighbours.before : neighbours.after;
      } else {
        side = last_inside(found);
        function = function_behind(found);
      }
      if (side == nullptr || !function || function->kind != found.kind) {
        curve.message = "the change of events has no function that vanishes there";
        result_.curves.push_back(std::move(curve));
        return;
      }
      anchor = side->orbit;
      parameter = side->parameter;
      curve.reason = function->reason;
    }
    follow_from(anchor, parameter, std::move(function), curve);
    result_.curves.push_back(std::move(curve));
  }

  void follow_from(const PeriodicOrbit& anchor, double parameter, std::optional<DefiningFunction> function,
                   OrbitCurve& curve) {
    OrbitPlane plane(family_, options_, anchor, parameter, options_.begin);
    const Vector start = plane.unknowns_of(anchor, parameter, options_.begin);
    const std::optional<PlaneShot> shot = plane.shot(start);
    if (!shot) {
      curve.message = "the orbit cannot be followed with its derivatives";
      return;
    }
    OrbitCondition condition =
        function ? OrbitCondition(std::move(*function), *shot) : OrbitCondition(curve.kind, *shot);
    const double longest =
        1.0 / static_cast<double>(std::max(options_.first.points, options_.second.points) - 1);
    OrbitCurveEquations near(plane, condition, options_.orbit.run.rtol, longest);
    const Vector across = Vector::Unit(start.size(), start.size() - 1);
    const std::optional<OrbitStation> here = near(start, across, across);
    if (!here) {
      curve.message = "Newton's method does not come to the bifurcation on the branch";
      return;
    }
    near.go_on_from(*here);
    const double curvature = here->second.curvature;
    std::vector<OrbitStation> back;
    std::vector<OrbitSpecialPoint> special_back;
    for (const double direction : {-1.0, 1.0}) {
      std::vector<OrbitStation> way = {*here};
      way.front().tangent *= direction;
      std::vector<OrbitSpecialPoint> special;
      OrbitCurveEquations equations = near;
      const CurveEnd end = follow_curve(way.front(),
                                        {.longest = longest,
                                         .shortest = kShortestOrbitStep * longest,
                                         .shares = 2,
                                         .most_points = options_.most_points},
                                        equations, [&](const OrbitStation& before, const OrbitStation& next) {
                                          look_between(before, next, plane, condition, equations, special);
                                          way.push_back(next);
                                          equations.go_on_from(next);
                                        });
      curve.closed = end == CurveEnd::closed;
      std::string message;
      if (end == CurveEnd::lost || end == CurveEnd::too_many) {
        const Vector& last = way.back().u;
        message = (end == CurveEnd::lost ? "the curve ends near ("
                                         : "the greatest number of points is reached at (") +
                  number_text(plane.first(last)) + ", " + number_text(plane.second(last)) + ")";
      }
      if (end == CurveEnd::lost) {
        if (const auto point = special_at_end(way, plane, condition, longest)) {
          special.push_back(*point);
          message.clear();
        }
      }
      if (!message.empty()) curve.message = message;
      if (direction < 0 && !curve.closed) {
        back = std::move(way);
        special_back = std::move(special);
        continue;
      }
      if (!back.empty()) {
        std::reverse(back.begin(), back.end());
        back.pop_back();
        std::reverse(special_back.begin(), special_back.end());
      }
      back.insert(back.end(), way.begin(), way.end());
      curve.special = std::move(special_back);
      curve.special.insert(curve.special.end(), special.begin(), special.end());
      break;
    }
    for (const OrbitStation& station : back) {
      OrbitCurvePoint point{.first = plane.first(station.u),
                            .second = plane.second(station.u),
                            .kind = kind_of(curve.kind, curvature, station.second.curvature)};
      if (std::optional<PeriodicOrbit> orbit = plane.orbit_at(station.side)) point.orbit = std::move(*orbit);
      curve.points.push_back(std::move(point));
    }
  }

  // zero_ahead() takes the values of a second function at the last three stations. The place is that of value 0 on the parabola through
  // them, and empty if that is not just ahead. The levels lie inside, so that the last station may be a little behind it.
  static std::optional<Vector> zero_ahead(const std::vector<OrbitStation>& way,
                                          const std::array<double, 3>& values, double longest) {
    Vector u = Vector::Zero(way.front().u.size());
    for (std::size_t i = 0; i < 3; ++i) {
      double weight = 1;
      for (std::size_t j = 0; j < 3; ++j)
        if (j != i) weight *= values[j] / (values[j] - values[i]);
      u += weight * way[way.size() - 3 + i].u;
    }
    const OrbitStation& last = way.back();
    const bool is_ahead = u.allFinite() && (u - last.u).dot(last.tangent) > -kLevels[2];
    if (!is_ahead || (u - last.u).norm() > kNearEnd * longest) return std::nullopt;
    return u;
  }

  // special_at_end() finds the point at which a curve ends since the orbits behind it have other events: CS+SS, or another change of events.
  std::optional<OrbitSpecialPoint> special_at_end(const std::vector<OrbitStation>& way, OrbitPlane& plane,
                                                  const OrbitCondition& condition, double longest) const {
    if (way.size() < 3) return std::nullopt;
    const OrbitStation* const last_three = &way[way.size() - 3];
    const auto point = [&](const Vector& u, std::string name, std::string reason) {
      return OrbitSpecialPoint{.name = std::move(name),
                               .first = plane.first(u),
                               .second = plane.second(u),
                               .reason = std::move(reason)};
    };
    const auto turn = zero_ahead(
        way, {last_three[0].second.curvature, last_three[1].second.curvature, last_three[2].second.curvature},
        longest);
    if (turn)
      return point(
          *turn, "CS+SS",
          "the second derivative of the guard along the field beyond vanishes, where the curve ends");
    const OrbitStation& last = way.back();
    const std::optional<PlaneShot> here = plane.shot(last.side);
    for (const double ahead : kAheadOfEnd) {
      const std::optional<PlaneShot> beyond = plane.shot(Vector(last.side + ahead * longest * last.tangent));
      if (!here || !beyond) continue;
      const auto function = defining_function(here->orbit, beyond->orbit, options_.orbit.run.sliding_rule);
      if (!function || !function->of_one) continue;
      std::array<double, 3> values{};
      for (std::size_t i = 0; i < 3; ++i) values[i] = value_on_curve(last_three[i], plane, *function);
      // The function of the curve itself is zero all along it.
      if (!(std::abs(values[0]) > kZeroOnCurve)) continue;
      if (const auto zero = zero_ahead(way, values, longest))
        return point(*zero, std::string(to_string(condition.kind())) + "+" + to_string(function->kind),
                     function->reason + ", where the curve ends");
    }
    return std::nullopt;
  }

  // The value of another function at a station, from the levels of the curve's own; NaN where a level has none.
  static double value_on_curve(const OrbitStation& station, OrbitPlane& plane,
                               const DefiningFunction& function) {
    std::vector<double> values;
    for (const Vector& u : station.levels) {
      const std::optional<PlaneShot> shot = plane.shot(u);
      const auto value = shot ? function.value(*shot->problem, shot->orbit) : std::nullopt;
      values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return values.size() == 3 ? combined({values[0], values[1], values[2]}) : values.front();
  }

  // CS and SS differ by the sign of the second derivative of the guard along the field beyond.
  static Bifurcation kind_of(Bifurcation at_begin, double curvature_there, double curvature) {
    if (!(curvature_there * curvature < 0)) return at_begin;
    return at_begin == Bifurcation::crossing_sliding ? Bifurcation::switching_sliding
                                                     : Bifurcation::crossing_sliding;
  }

  static void look_between(const OrbitStation& here, const OrbitStation& next, const OrbitPlane& plane,
                           const OrbitCondition& condition, OrbitCurveEquations& near,
                           std::vector<OrbitSpecialPoint>& special) {
    std::vector<std::pair<double, OrbitSpecialPoint>> found;
    const auto look = [&](double OrbitSecondFunctions::*of, const std::string& name, const char* reason) {
      const auto value = [of](const OrbitStation& at) { return at.second.*of; };
      const double low = value(here), high = value(next);
      if (!std::isfinite(low) || !std::isfinite(high) || (low < 0) == (high < 0)) return;
      const std::optional<OrbitStation> zero = zero_between(here, next, near, value);
      if (!zero) return;
      found.push_back(
          {(zero->u - here.u).dot(here.tangent),
           {.name = name, .first = plane.first(zero->u), .second = plane.second(zero->u), .reason = reason}});
    };
    using Second = OrbitSecondFunctions;
    const std::string own = to_string(condition.kind());
    const bool is_torus = condition.kind() == Bifurcation::torus;
    if (condition.kind() == Bifurcation::fold) {
      const double share = here.tangent.tail(2).dot(next.tangent.tail(2));
      if (share < 0) {
        const Vector direction = here.tangent.tail(2);
        const auto turn = [direction](const OrbitStation& at) { return direction.dot(at.tangent.tail(2)); };
        if (const std::optional<OrbitStation> zero = zero_between(here, next, near, turn))
          found.push_back({(zero->u - here.u).dot(here.tangent),
                           {.name = "CP",
                            .first = plane.first(zero->u),
                            .second = plane.second(zero->u),
                            .reason = "both parameters turn"}});
      }
    } else {
      look(&Second::fold, "SN+" + own, "a multiplier is 1");
    }
    if (condition.kind() != Bifurcation::period_doubling)
      look(&Second::doubling, "PD+" + own, "a multiplier is -1");
    if (!is_torus) look(&Second::circle, "NS+" + own, "a complex pair of multipliers is on the unit circle");
    if (is_torus) {
      look(&Second::third, "R3", "the multipliers on the unit circle are third roots of 1");
      look(&Second::fourth, "R4", "the multipliers on the unit circle are fourth roots of 1");
    }
    look(&Second::curvature, "CS+SS", "the second derivative of the guard along the field beyond vanishes");
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, point] : found) special.push_back(std::move(point));
  }

  OrbitPlaneFamily family_;
  const OrbitGuess& guess_;
  const OrbitCurveOptions& options_;
  ParameterSpan along_;
  OrbitCurves result_ = {};
};

}  // namespace

OrbitCurves follow_orbit_curves(const OrbitPlaneFamily& family, const OrbitGuess& guess,
                                const OrbitCurveOptions& options) {
  const char* const where = "follow_orbit_curves";
  check_parameter_plane(options.first, options.second, options.begin, static_cast<bool>(family.problem),
                        where);
  if (options.kind && !OrbitCurveSearch::has_curve(*options.kind)) {
    refuse({.what = "these bifurcations have no curve",
            .where = where,
            .expected = "SN, PD, NS, GR, GS, CS, SS or AS",
            .got = to_string(*options.kind)});
  }
  if (options.branch)
    check_parameter_plane(*options.branch, options.second, options.begin, static_cast<bool>(family.problem),
                          where);
  const Automaton first = family.problem(options.branch.value_or(options.first).first, options.begin);
  refuse_cone_friction(first, "periodic orbits");
  refuse_numbered_states(first, "periodic orbits");
  return OrbitCurveSearch(family, guess, options).execute();
}

}  // namespace slideway
