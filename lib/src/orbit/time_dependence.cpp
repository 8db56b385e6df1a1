#include "orbit/time_dependence.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

namespace {

constexpr Index kSamples = 24;

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

// The fields of both sides of all surfaces together, then the guards.
Vector equations_at(const Automaton& problem, std::size_t location, double t, ConstVectorRef x,
                    const Vector& lambda) {
  const System& system = problem.locations()[location].system;
  Vector field(system.states());
  system.field(t, x, lambda, field);
  const Vector guards = guards_of(problem, location, t, x);
  Vector result(field.size() + guards.size());
  result << field, guards;
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

double change_by_shift(const Automaton& problem, const Solution& solution, double shift) {
  double largest = 0;
  Vector size;
  std::vector<Vector> changes;
  for_samples(problem, solution, [&](double t, const Vector& x, std::size_t location) {
    const System& system = problem.locations()[location].system;
    Vector lambda = Vector::Zero(system.surfaces());
    Mode mode(system.surfaces());
    for (Index i = 0; i < system.surfaces(); ++i) mode.set(i, solution.trajectory.mode(t)[i]);
    mode.fill_lambda(lambda);
    const Vector here = equations_at(problem, location, t, x, lambda);
    const Vector there = equations_at(problem, location, t + shift, x, lambda);
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
  const double length = solution.trajectory.end() - solution.trajectory.start();
  for (const double part : {0.1234567, 0.3819660, 0.7182818})
    if (change_by_shift(problem, solution, part * length) > 0) return true;
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
