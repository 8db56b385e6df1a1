#include "slideway/manifolds/equilibrium_manifolds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"
#include "manifolds/follow_arc.hpp"
#include "manifolds/saddle_directions.hpp"
#include "manifolds/surface_point.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/equilibrium_search.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/manifolds/time_reversal.hpp"

namespace slideway {

namespace {

// The distance of the begin from the point, of the sizes of the states: the manifold is off its tangent by the square of it.
constexpr double kBegin = 1e-6;
constexpr double kUsualLength = 10;   // of the sizes of the states
constexpr double kUsualTimes = 1000;  // over the slowest rate
// Pieces of one manifold, those of divisions included.
constexpr std::size_t kMostArcs = 256;

void check_options(const Automaton& problem, const ManifoldOptions& options) {
  const char* const where = "follow_manifolds";
  refuse_cone_friction(problem, "manifolds");
  const Index n = problem.system().states();
  if (!std::isfinite(options.length) || options.length < 0) {
    refuse({.what = "the length of the manifolds makes no sense",
            .where = where,
            .expected = "a finite number above 0, or 0 to have it chosen",
            .got = number_text(options.length)});
  }
  if (!std::isfinite(options.most_time) || options.most_time < 0) {
    refuse({.what = "the time of the manifolds makes no sense",
            .where = where,
            .expected = "a finite number above 0, or 0 to have it chosen",
            .got = number_text(options.most_time)});
  }
  if (!(options.angle > 0 && options.angle <= 1)) {
    refuse({.what = "the angle between two points makes no sense",
            .where = where,
            .expected = "a number in (0, 1]",
            .got = number_text(options.angle)});
  }
  if (options.fan < 0) {
    refuse({.what = "there is no such number of solutions of a fan",
            .where = where,
            .expected = "0 or more",
            .got = std::to_string(options.fan)});
  }
  if (options.sizes.size() != 0 && (options.sizes.size() != n || !(options.sizes.minCoeff() > 0))) {
    refuse({.what = "the sizes of the states do not fit",
            .where = where,
            .expected = std::to_string(n) + " numbers above 0",
            .got = std::to_string(options.sizes.size()) + " numbers"});
  }
}

Vector sizes_of(const std::vector<Equilibrium>& equilibria, const ManifoldOptions& options, Index states) {
  if (options.sizes.size() > 0) return options.sizes;
  Vector sizes = Vector::Zero(states);
  for (const Equilibrium& equilibrium : equilibria) sizes = sizes.cwiseMax(equilibrium.state.cwiseAbs());
  for (double& size : sizes)
    if (!(size > 0)) size = 1;
  return sizes;
}

// The pieces of one manifold, in the order in which they are found.
class ArcGrowth {
 public:
  ArcGrowth(const Automaton& problem, ManifoldKind kind, const ManifoldOptions& options, const Vector& sizes,
            double start, double slowest, EquilibriumManifolds& result)
      : problem_(problem),
        options_(options),
        run_options_(arc_options(options.run)),
        result_(result),
        surfaces_(result.equilibrium.lambda.size()) {
    question_.length = options.length > 0 ? options.length : kUsualLength * sizes.norm();
    const double rate = slowest > 0 && std::isfinite(slowest) ? slowest : 1.0;
    question_.most_time = options.most_time > 0 ? options.most_time : kUsualTimes / rate;
    question_.rest_time = 1 / rate;
    question_.angle = options.angle;
    question_.time_sign = kind == ManifoldKind::stable ? -1 : 1;
    question_.sizes = sizes;
    question_.run.start = kind == ManifoldKind::stable ? -start : start;
    kind_ = kind;
  }

  // along() follows both branches along the only growing motion.
  void along(const Equilibrium& equilibrium, const SaddleDirections& directions) {
    const Mode& mode = equilibrium.mode;
    for (const double side : {1.0, -1.0}) {
      Vector state = equilibrium.state + side * kBegin * directions.direction;
      put_on_surfaces(problem_, equilibrium.location, mode, question_.run.start, question_.sizes, state);
      const bool has_mode = mode.codimension() > 0;
      const std::size_t branch = follow({.state = state,
                                         .location = equilibrium.location,
                                         .mode = has_mode ? std::optional<Mode>(mode) : std::nullopt},
                                        (state - equilibrium.state).norm(), ManifoldPiece::branch, {});
      begin_at(equilibrium, side * directions.direction, branch);
      if (directions.beside > 0) spread(branch);
    }
  }

  // beside() follows the branches that leave a surface, to both of its sides.
  void beside(const Equilibrium& equilibrium) {
    for (const Side side : {Side::plus, Side::minus}) {
      const std::size_t branch = follow({.state = equilibrium.state,
                                         .location = equilibrium.location,
                                         .mode = off_surface(equilibrium.mode, side)},
                                        0, ManifoldPiece::branch, {});
      ManifoldArc& arc = result_.arcs[branch];
      if (arc.points.size() > 1) arc.direction = (arc.points[1].state - equilibrium.state).normalized();
    }
  }

 private:
  // Closed contacts stay closed.
  Mode off_surface(Mode mode, Side side) const {
    for (Index i = 0; i < surfaces_; ++i)
      if (mode.slides_on(i)) mode.set(i, side);
    return mode;
  }
  bool slides(const Mode& mode) const { return mode.first(surfaces_).codimension() == 1; }

  std::size_t follow(Run begin, double begin_length, ManifoldPiece piece, std::optional<std::size_t> parent) {
    ArcQuestion question = question_;
    begin.start = question.run.start;
    question.run = std::move(begin);
    question.begin_length = begin_length;
    FollowedArc found = follow_arc(problem_, run_options_, question);
    found.arc.kind = kind_;
    found.arc.piece = piece;
    found.arc.parent = parent;
    const std::size_t index = result_.arcs.size();
    result_.arcs.push_back(std::move(found.arc));
    if (result_.arcs[index].end == ManifoldEnd::ambiguous && !found.solution.events.empty())
      divide(index, found.solution.events.back(), found.solution.final);
    return index;
  }

  // divide() follows all continuations where a piece ends because what follows is not unique.
  void divide(std::size_t parent, const EventRecord& event, const Snapshot& end) {
    const double length = result_.arcs[parent].points.back().arclength;
    result_.remarks.push_back(std::string("the ") + to_string(kind_) +
                              " manifold divides, since what follows is not unique: " +
                              std::to_string(event.continuations.size()) + " continuations");
    for (const Mode& mode : event.continuations) {
      if (result_.arcs.size() >= kMostArcs || length >= question_.length) return;
      const std::size_t piece = follow({.state = end.state, .location = end.location, .mode = mode}, length,
                                       ManifoldPiece::divided, parent);
      if (event.kind == EventKind::repelling && slides(mode)) spread(piece);
    }
  }

  // The point itself is the begin of a branch.
  void begin_at(const Equilibrium& equilibrium, const Vector& direction, std::size_t branch) {
    ManifoldArc& arc = result_.arcs[branch];
    arc.direction = direction;
    ManifoldPoint point = arc.points.front();
    point.state = equilibrium.state;
    point.arclength = 0;
    arc.points.insert(arc.points.begin(), std::move(point));
  }

  // Solutions that leave a piece along a repelling surface, at even distances, to both sides.
  void spread(std::size_t parent) {
    if (options_.fan == 0) return;
    const std::vector<ManifoldPoint> points = result_.arcs[parent].points;
    double slides_until = 0;
    for (const ManifoldPoint& point : points) {
      if (!slides(point.mode)) break;
      slides_until = point.arclength;
    }
    for (Index k = 0; k < options_.fan; ++k) {
      const double wanted = slides_until * (static_cast<double>(k) + 0.5) / static_cast<double>(options_.fan);
      const auto at = std::find_if(points.begin(), points.end(),
                                   [&](const ManifoldPoint& point) { return point.arclength >= wanted; });
      if (at == points.end() || !slides(at->mode)) continue;
      for (const Side side : {Side::plus, Side::minus}) {
        if (result_.arcs.size() >= kMostArcs) return;
        follow({.state = at->state, .location = at->location, .mode = off_surface(at->mode, side)},
               at->arclength, ManifoldPiece::fan, parent);
      }
    }
  }

  const Automaton& problem_;
  const ManifoldOptions& options_;
  Options run_options_;
  EquilibriumManifolds& result_;
  Index surfaces_;
  ArcQuestion question_ = {};
  ManifoldKind kind_ = ManifoldKind::unstable;
};

std::string dimension_remark(ManifoldKind kind, const SaddleDirections& directions) {
  return std::string("the ") + to_string(kind) + " manifold has " + std::to_string(directions.dimensions()) +
         " dimensions and is not followed";
}

void grow(const Automaton& problem, const Equilibrium& equilibrium, ManifoldKind kind,
          const SaddleDirections& directions, double t, const ManifoldOptions& options, const Vector& sizes,
          EquilibriumManifolds& result) {
  const bool has_core = directions.along == 1 && directions.beside <= 1;
  const bool leaves = directions.along == 0 && directions.beside == 1;
  if (!has_core && !leaves) {
    result.remarks.push_back(dimension_remark(kind, directions));
    return;
  }
  ArcGrowth growth(problem, kind, options, sizes, t, directions.slowest, result);
  if (leaves) {
    growth.beside(equilibrium);
    return;
  }
  if (directions.beside > 0) {
    result.remarks.push_back(std::string("the ") + to_string(kind) +
                             " manifold is a fan: along its two branches in the surface " +
                             (kind == ManifoldKind::stable ? "solutions from both sides arrive at every point"
                                                           : "solutions leave to both sides at every point"));
  }
  growth.along(equilibrium, directions);
}

EquilibriumManifolds manifolds_of(const Automaton& problem, const Equilibrium& equilibrium, double t,
                                  const ManifoldOptions& options, const Vector& sizes) {
  EquilibriumManifolds result{.equilibrium = equilibrium};
  const SlidingRule rule = options.run.sliding_rule;
  const SaddleDirections forwards = saddle_directions(problem, equilibrium, t, sizes, rule, false);
  const SaddleDirections backwards = saddle_directions(problem, equilibrium, t, sizes, rule, true);
  result.unstable_dimensions = forwards.dimensions();
  result.stable_dimensions = backwards.dimensions();
  if (!why_no_saddle(equilibrium, forwards, backwards).empty()) return result;
  if (options.unstable)
    grow(problem, equilibrium, ManifoldKind::unstable, forwards, t, options, sizes, result);
  if (!options.stable) return result;
  const std::string obstacle = obstacle_to_reversal(problem, equilibrium.state, sizes);
  if (!obstacle.empty()) {
    result.remarks.push_back("the stable manifold is not followed: " + obstacle);
    return result;
  }
  const Index surfaces = equilibrium.lambda.size();
  if (!equilibrium.mode.sliding_from(surfaces).empty()) {
    result.remarks.push_back("the stable manifold is not followed: a contact is closed there");
    return result;
  }
  Equilibrium of_reversed = equilibrium;
  of_reversed.mode = equilibrium.mode.first(surfaces);
  grow(reversed_in_time(problem, equilibrium.state, sizes), of_reversed, ManifoldKind::stable, backwards, t,
       options, sizes, result);
  return result;
}

}  // namespace

std::vector<EquilibriumManifolds> follow_manifolds(const Automaton& problem,
                                                   const std::vector<Equilibrium>& equilibria, double t,
                                                   const ManifoldOptions& options) {
  check_options(problem, options);
  const Vector sizes = sizes_of(equilibria, options, problem.system().states());
  std::vector<EquilibriumManifolds> result;
  for (const Equilibrium& equilibrium : equilibria) {
    if (!equilibrium.admissible) continue;
    EquilibriumManifolds found = manifolds_of(problem, equilibrium, t, options, sizes);
    if (!found.arcs.empty() || !found.remarks.empty()) result.push_back(std::move(found));
  }
  return result;
}

std::vector<EquilibriumManifolds> find_manifolds(const Automaton& problem, const Run& run,
                                                 const EquilibriumOptions& search,
                                                 const ManifoldOptions& options) {
  check_options(problem, options);
  const SearchedEquilibria found = search_equilibria(problem, run, search);
  ManifoldOptions sized = options;
  if (sized.sizes.size() == 0) sized.sizes = found.sizes;
  return follow_manifolds(problem, found.all.found, run.start, sized);
}

}  // namespace slideway
