#include "orbit/equilibrium_place.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "slideway/core/errors.hpp"

namespace slideway {

std::vector<EquilibriumPlace> places_of(const Automaton& problem) {
  std::vector<EquilibriumPlace> places;
  for (const Location& location : problem.locations()) places.push_back({location.name, location.system});
  const std::vector<Edge>& edges = problem.edges();
  for (std::size_t a = 0; a < edges.size(); ++a) {
    if (edges[a].direction != Direction::rising) continue;
    for (std::size_t b = 0; b < edges.size(); ++b) {
      if (a == b || !undo_each_other(edges[a], edges[b])) continue;
      const Location& minus = problem.locations()[problem.location_index(edges[a].from)];
      const Location& plus = problem.locations()[problem.location_index(edges[a].to)];
      places.push_back(
          {joined_name(minus, plus), join_locations(minus, plus, edges[a].when, edges[a].name), true});
    }
  }
  return places;
}

EquilibriumPlace place_named(const Automaton& problem, const std::string& name, double t, ConstVectorRef x) {
  const std::vector<EquilibriumPlace> places = places_of(problem);
  const EquilibriumPlace* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const EquilibriumPlace& place : places) {
    if (place.name != name) continue;
    if (!place.joined) return place;
    Vector guards = Vector::Zero(place.system.surfaces());
    place.system.guards(t, x, guards);
    const double distance = std::abs(guards[guards.size() - 1]);
    if (nearest != nullptr && !(distance < least)) continue;
    nearest = &place;
    least = distance;
  }
  if (nearest == nullptr) {
    refuse({.what = "there is no such location",
            .where = "an equilibrium",
            .expected = "a location that the problem has for every value of the parameter",
            .got = "'" + name + "'"});
  }
  return *nearest;
}

}  // namespace slideway
