#include "manifolds/with_event.hpp"

#include <utility>
#include <vector>

namespace slideway {

Automaton with_event(const Automaton& problem, const Event& event) {
  if (!problem.has_locations()) return problem.system().with_events({event});
  std::vector<Location> locations;
  for (const Location& location : problem.locations())
    locations.push_back({location.name, location.system.with_events({event})});
  return Automaton(std::move(locations), problem.edges(), problem.locations()[problem.initial()].name);
}

}  // namespace slideway
