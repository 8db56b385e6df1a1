#include "orbit/time_dependence.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

namespace {

constexpr Index kSamples = 24;
constexpr double kClockRounding = 1e-9;  // of equations that are differences of two times

std::size_t location_at(const Automaton& problem, const std::string& name) {
  for (std::size_t q = 0; q < problem.locations().size(); ++q)
    if (problem.locations()[q].name == name) return q;
  return problem.initial();
}

// Guards of surfaces, gaps, events and edges, in one row.
Vector guards_of(const Automaton& problem, std::size_t location, double t, ConstVectorRef x) {
  const Location& here = problem.locations()[location];
  Vector surfaces = Vector::Zero(here.system.surfaces());
  here.system.guards(t, x, surfaces);
  std::vector<double> values(surfaces.data(), surfaces.data() + surfaces.size());
  for (const Contact& contact : here.system.contacts()) values.push_back(contact.gap.value(t, x));
  for (const Event& event : here.system.events()) values.push_back(event.when.value(t, x));
  for (const Edge& edge : problem.edges()) {
    const bool leaves = edge.from == here.name;
    values.push_back(leaves ? edge.when.value(t, x) : 1.0);
  }
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

// The states that resets of events, edges and time events set, less the time in clocks; NaN of a reset that has no value at x.
std::vector<double> resets_of(const Automaton& problem, std::size_t location, double t, ConstVectorRef x,
                              const Vector& clocks) {
  const Location& here = problem.locations()[location];
  std::vector<double> values;
  const auto add = [&](const ResetFunction& reset) {
    if (!reset) return;
    Vector after = x;
    try {
      reset(t, x, after);
    } catch (const std::exception&) {
      after.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    after -= t * clocks;
    values.insert(values.end(), after.begin(), after.end());
  };
  for (const Event& event : here.system.events()) add(event.reset);
  for (const TimeEvent& event : here.system.time_events()) add(event.reset);
  for (const Edge& edge : problem.edges())
    if (edge.from == here.name) add(edge.reset);
  return values;
}

// The fields of both sides of all surfaces together, then guards, then resets.
Vector equations_at(const Automaton& problem, std::size_t location, double t, ConstVectorRef x,
                    const Vector& lambda, const Vector& clocks) {
  const System& system = problem.locations()[location].system;
  Vector field(system.states());
  system.field(t, x, lambda, field);
  const Vector guards = guards_of(problem, location, t, x);
  const std::vector<double> resets = resets_of(problem, location, t, x, clocks);
  Vector result(field.size() + guards.size() + static_cast<Index>(resets.size()));
  result << field, guards, Eigen::Map<const Vector>(resets.data(), static_cast<Index>(resets.size()));
  return result;
}

template <class Visit>
void for_samples(const Automaton& problem, const Solution& solution, const Visit& visit) {
  const double begin = solution.trajectory.start(), length = solution.trajectory.end() - begin;
  for (Index k = 0; k <= kSamples; ++k) {
    const double t = begin + length * (static_cast<double>(k) + 0.382) / (static_cast<double>(kSamples) + 1);
    visit(t, solution.trajectory(t), location_at(problem, solution.trajectory.location(t)));
  }
}

}  // namespace

double change_by_shift(const Automaton& problem, const Solution& solution, double shift,
                       const Vector& clocks) {
  double largest = 0;
  Vector size;
  std::vector<Vector> changes;
  for_samples(problem, solution, [&](double t, const Vector& x, std::size_t location) {
    const System& system = problem.locations()[location].system;
    Vector lambda = Vector::Zero(system.surfaces());
    solution.trajectory.mode(t).first(system.surfaces()).fill_lambda(lambda);
    const Vector here = equations_at(problem, location, t, x, lambda, clocks);
    const Vector there = equations_at(problem, location, t + shift, x + shift * clocks, lambda, clocks);
    if (here.size() != size.size()) size = Vector::Zero(here.size());
    size = size.cwiseMax(here.cwiseAbs());
    changes.push_back((there - here).cwiseAbs());
  });
  for (const Vector& change : changes)
    for (Index i = 0; i < std::min(change.size(), size.size()); ++i)
      if (change[i] > 0) largest = std::max(largest, size[i] > 0 ? change[i] / size[i] : 1.0);
  return largest;
}

bool depends_on_time(const Automaton& problem, const Solution& solution) {
  return depends_on_time(problem, solution, Vector::Zero(problem.system().states()));
}

bool depends_on_time(const Automaton& problem, const Solution& solution, const Vector& clocks) {
  // Times cancel in clocks but for their rounding.
  const double rounding = clocks.isZero() ? 0 : kClockRounding;
  const double length = solution.trajectory.end() - solution.trajectory.start();
  for (const double part : {0.1234567, 0.3819660, 0.7182818})
    if (change_by_shift(problem, solution, part * length, clocks) > rounding) return true;
  return false;
}

bool is_on_surface(const Automaton& problem, const Solution& solution, double t, ConstVectorRef state) {
  constexpr double near = 1e-6;
  const std::size_t location = location_at(problem, solution.initial.location);
  const Vector here = guards_of(problem, location, t, state);
  Vector size = Vector::Zero(here.size());
  for_samples(problem, solution, [&](double at, const Vector& x, std::size_t q) {
    size = size.cwiseMax(guards_of(problem, q, at, x).cwiseAbs());
  });
  for (Index i = 0; i < here.size(); ++i)
    if (std::abs(here[i]) <= near * size[i]) return true;
  return false;
}

}  // namespace slideway
