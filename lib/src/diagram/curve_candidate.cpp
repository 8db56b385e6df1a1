#include "diagram/curve_candidate.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "simulate/plain_options.hpp"
#include "slideway/orbit/equilibrium_curves.hpp"
#include "slideway/orbit/orbit_curves.hpp"

namespace slideway {

namespace {

constexpr Index kBranchPoints = 5;
// The branch goes beyond the middle of the next cell, in parts of the way: the bifurcation may lie just there.
constexpr double kBeyond = 0.25;
// Messages of curves name their parameters in another order.
constexpr const char* kEndsInside = "the curve is followed no further than to its end inside of the plane";
constexpr Index kPointsOfCurve = 20;  // times those across the plane

// The plane as curves see it: the first parameter is the one that changes between the two cells.
struct SeenPlane {
  bool is_turned = false;
  ParameterSpan first = {};
  ParameterSpan second = {};
  double begin = 0;
  double from = 0;
  double to = 0;
};

SeenPlane seen_from(const DiagramProblem& problem, const CurveCandidate& candidate) {
  const DiagramAxis &across = problem.design().across, &up = problem.design().up;
  const Index points = problem.options().curve_points;
  const ParameterSpan along{.first = across.low, .last = across.high, .points = points};
  const ParameterSpan upwards{.first = up.low, .last = up.high, .points = points};
  if (candidate.from_up == candidate.to_up)
    return {.first = along,
            .second = upwards,
            .begin = up.middle(candidate.from_up),
            .from = across.middle(candidate.from_across),
            .to = across.middle(candidate.to_across)};
  return {.is_turned = true,
          .first = upwards,
          .second = along,
          .begin = across.middle(candidate.from_across),
          .from = up.middle(candidate.from_up),
          .to = up.middle(candidate.to_up)};
}

Options options_of_curves(const DiagramProblem& problem) {
  Options run = plain_options(problem.options().run, Recording::nothing);
  run.rtol = problem.options().curve_rtol;
  run.atol = {};
  return run;
}

template <class Special>
DiagramSpecialPoint special_of(const Special& special, std::string name, bool is_turned) {
  return {.name = std::move(name),
          .first = is_turned ? special.second : special.first,
          .second = is_turned ? special.first : special.second,
          .reason = special.reason};
}

// The model at (first, second) of the curves.
ModelInstance instance_of(const DiagramProblem& problem, bool is_turned, double first, double second) {
  return is_turned ? problem.instance_at(second, first) : problem.instance_at(first, second);
}

std::vector<DiagramCurve> curves_of_orbits(const DiagramProblem& problem, const CurveCandidate& candidate) {
  const SeenPlane plane = seen_from(problem, candidate);
  const bool is_turned = plane.is_turned;
  OrbitPlaneFamily family{.problem = [&problem, is_turned](double first, double second) {
    return instance_of(problem, is_turned, first, second).problem();
  }};
  const auto rounds = static_cast<double>(std::max<Index>(candidate.rounds, 1));
  const auto period = [&problem, is_turned, rounds](double first, double second) {
    return rounds * problem.step_of(instance_of(problem, is_turned, first, second));
  };
  if (!problem.is_autonomous()) family.period = period;
  const ModelInstance here = instance_of(problem, is_turned, plane.from, plane.begin);
  const OrbitGuess guess{
      .start = here.start,
      .period = problem.is_autonomous() ? candidate.period : period(plane.from, plane.begin),
      .state = candidate.state,
      .location = candidate.location};
  const auto [low, high] = std::minmax(plane.first.first, plane.first.last);
  const ParameterSpan branch{.first = plane.from,
                             .last = std::clamp(plane.to + kBeyond * (plane.to - plane.from), low, high),
                             .points = kBranchPoints};
  const OrbitCurves found =
      follow_orbit_curves(family, guess,
                          {.orbit = {.run = options_of_curves(problem)},
                           .first = plane.first,
                           .second = plane.second,
                           .begin = plane.begin,
                           .branch = branch,
                           .most_points = kPointsOfCurve * problem.options().curve_points});
  std::vector<DiagramCurve> curves;
  for (const OrbitCurve& one : found.curves) {
    if (one.points.size() < 2) continue;
    DiagramCurve curve{.kind = to_string(one.kind),
                       .rounds = candidate.rounds,
                       .before = one.before,
                       .after = one.after,
                       .reason = one.reason,
                       .closed = one.closed,
                       .message = one.message.empty() ? "" : kEndsInside};
    for (const OrbitCurvePoint& point : one.points)
      curve.points.push_back({.first = is_turned ? point.second : point.first,
                              .second = is_turned ? point.first : point.second,
                              .kind = to_string(point.kind)});
    for (const OrbitSpecialPoint& special : one.special)
      curve.special.push_back(special_of(special, special.name, is_turned));
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::string kind_of(EquilibriumBifurcation kind, const EquilibriumCurvePoint& point) {
  if (point.neutral_saddle) return "neutral saddle";
  const std::string name = to_string(kind);
  return kind == EquilibriumBifurcation::boundary_equilibrium &&
                 point.boundary != BoundaryEquilibriumKind::alone
             ? name + " " + to_string(point.boundary)
             : name;
}

std::vector<DiagramCurve> curves_of_equilibria(const DiagramProblem& problem,
                                               const CurveCandidate& candidate) {
  const SeenPlane plane = seen_from(problem, candidate);
  const bool is_turned = plane.is_turned;
  const ModelInstance here = instance_of(problem, is_turned, plane.from, plane.begin);
  const std::vector<EquilibriumCurve> found = follow_equilibrium_curves(
      [&problem, is_turned](double first, double second) {
        return instance_of(problem, is_turned, first, second).problem();
      },
      {.start = here.start, .end = here.end, .state = candidate.state, .location = candidate.location},
      {.equilibria = {.run = options_of_curves(problem)},
       .first = plane.first,
       .second = plane.second,
       .begin = plane.begin,
       .most_points = kPointsOfCurve * problem.options().curve_points});
  std::vector<DiagramCurve> curves;
  for (const EquilibriumCurve& one : found) {
    if (one.points.size() < 2) continue;
    DiagramCurve curve{.of_equilibria = true,
                       .kind = to_string(one.kind),
                       .reason = one.reason,
                       .closed = one.closed,
                       .message = one.message.empty() ? "" : kEndsInside};
    for (const EquilibriumCurvePoint& point : one.points)
      curve.points.push_back({.first = is_turned ? point.second : point.first,
                              .second = is_turned ? point.first : point.second,
                              .kind = kind_of(one.kind, point)});
    for (const EquilibriumSpecialPoint& special : one.special)
      curve.special.push_back(special_of(special, to_string(special.kind), is_turned));
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace

std::vector<DiagramCurve> curves_at(const DiagramProblem& problem, const CurveCandidate& candidate) {
  try {
    return candidate.of_equilibria ? curves_of_equilibria(problem, candidate)
                                   : curves_of_orbits(problem, candidate);
  } catch (const std::exception&) {
    return {};  // The search has no value there, as where the model refuses parameters.
  }
}

}  // namespace slideway
