#include "orbit/shrinking_orbit.hpp"

#include <algorithm>
#include <cmath>

#include "orbit/equilibrium_place.hpp"
#include "orbit/extrapolate.hpp"
#include "slideway/model/evaluator.hpp"

namespace slideway {

namespace {

constexpr std::size_t kLeastOfShrinking = 4;
constexpr std::size_t kMostOfShrinking = 6;
// Orbits of nearly the same size tell nothing of their limit.
constexpr double kSmaller = 0.9;
// An orbit is small that has this part of the largest one on the branch.
constexpr double kSmall = 0.1;
// The limit is known so well, in parts of the way to it.
constexpr double kLimitIsKnown = 1e-4;
// A guard and a speed vanish that have this part of their sizes on the first orbit: the limit is known no better.
constexpr double kVanishes = 1e-3;

// The range of each state.
Vector ranges_of(const PeriodicOrbit& orbit) {
  Vector least = orbit.state, largest = orbit.state, x(orbit.state.size());
  const Trajectory& trajectory = orbit.solution.trajectory;
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k)
    for (const double t : trajectory.step_times(k)) {
      trajectory.evaluate(k, t, x);
      least = least.cwiseMin(x);
      largest = largest.cwiseMax(x);
    }
  return largest - least;
}

// The mean of the states at the events, and their root mean square distance from it in units of the ranges: both are smooth in p, and do not
// depend on where the orbit begins. Nothing where there are less than two events with states.
struct EventStates {
  Vector mean;
  double size;
};
std::optional<EventStates> states_at_events(const PeriodicOrbit& orbit, const Vector& ranges) {
  EventStates result{.mean = Vector::Zero(ranges.size()), .size = 0};
  std::vector<const Vector*> states;
  for (const EventRecord& event : orbit.solution.events)
    if (event.from && event.kind != EventKind::grazing && event.before.size() == ranges.size())
      states.push_back(&event.before);
  if (states.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(states.size());
  for (const Vector* const state : states) result.mean += *state / count;
  for (const Vector* const state : states)
    result.size += (*state - result.mean).cwiseQuotient(ranges).squaredNorm() / count;
  result.size = std::sqrt(result.size);
  return result;
}

// The orbits at the end of the branch, each smaller than the one before, with (p, x) at their sizes.
std::vector<SizedValue> shrinking(const std::vector<BranchPoint>& points, const Vector& ranges) {
  std::vector<SizedValue> result;
  for (std::size_t k = points.size(); k-- > 0;) {
    const PeriodicOrbit& orbit = points[k].orbit;
    if (orbit.signature != points.back().orbit.signature || orbit.location != points.back().orbit.location)
      break;
    const std::optional<EventStates> states = states_at_events(orbit, ranges);
    if (!states) break;
    const double size = states->size;
    if (!result.empty() && size <= result.back().size) break;
    if (!result.empty() && kSmaller * size <= result.back().size) continue;
    Vector value(orbit.state.size() + 1);
    value << points[k].parameter, states->mean;
    result.push_back({size, std::move(value)});
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// The name of a surface through x* on one side of which the field vanishes; empty where there is none.
std::optional<std::string> surface_of_equilibrium(const Automaton& problem, const PeriodicOrbit& first,
                                                  const Vector& x, const Vector& ranges) {
  const EquilibriumPlace place = place_named(problem, first.location, first.start, x);
  const System& system = place.system;
  const Index surfaces = system.surfaces();
  Evaluator evaluator(system);
  Vector guards(surfaces), largest = Vector::Zero(surfaces), at(x.size()), field(x.size());
  const Trajectory& trajectory = first.solution.trajectory;
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k)
    for (const double t : trajectory.step_times(k)) {
      trajectory.evaluate(k, t, at);
      evaluator.guards(t, at, guards);
      largest = largest.cwiseMax(guards.cwiseAbs());
    }
  evaluator.guards(first.start, x, guards);
  Vector lambda = guards.cwiseSign();
  for (Index i = 0; i < surfaces; ++i) {
    if (!(std::abs(guards[i]) <= kVanishes * largest[i])) continue;
    for (const double side : {-1.0, 1.0}) {
      lambda[i] = side;
      evaluator.field(first.start, x, lambda, field);
      if (field.cwiseAbs().cwiseQuotient(ranges).maxCoeff() * first.period <= kVanishes)
        return system.surface_names()[static_cast<std::size_t>(i)];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<BranchBifurcation> boundary_equilibrium_at_end(
    const std::vector<BranchPoint>& points, const std::function<Automaton(double value)>& problem) {
  if (points.size() < kLeastOfShrinking || !points.back().orbit.autonomous ||
      points.back().orbit.solution.events.empty())
    return std::nullopt;
  const PeriodicOrbit& first = points.front().orbit;
  const Vector ranges = ranges_of(first).cwiseMax(1e-300);
  const std::vector<SizedValue> orbits = shrinking(points, ranges);
  if (orbits.size() < kLeastOfShrinking || !(orbits.back().size <= kSmall * orbits.front().size))
    return std::nullopt;
  const std::size_t count = std::min(orbits.size(), kMostOfShrinking);
  const Vector limit = extrapolate(orbits, count, 0), lower = extrapolate(orbits, count - 1, 0);
  const double p = limit[0];
  const double way = std::abs(p - orbits[orbits.size() - count].value[0]);
  const double last = points.back().parameter;
  if (!(std::abs(p - lower[0]) <= kLimitIsKnown * way) || (p - last) * (last - points.front().parameter) < 0)
    return std::nullopt;
  const auto surface = surface_of_equilibrium(problem(p), first, limit.tail(limit.size() - 1), ranges);
  if (!surface) return std::nullopt;
  return BranchBifurcation{.kind = Bifurcation::boundary_equilibrium,
                           .parameter = p,
                           .orbit = points.back().orbit,
                           .before = points.back().orbit.signature,
                           .reason = "the orbit shrinks to an equilibrium on '" + *surface + "'"};
}

}  // namespace slideway
