#include "rules/mode_manager.hpp"
#include "rules/second_order_sliding.hpp"

#include <algorithm>

namespace slideway {

ModeManager::ModeManager(RunState& now, Locator& locator, RunLog& log)
    : now_(now),
      locator_(locator),
      log_(log),
      dips_(now),
      poles_(now, locator),
      motion_(now, instant_, jumps_),
      last_jump_(now, locator, instant_, jumps_, arrivals_, motion_),
      history_(static_cast<Index>(now.tools.automaton().system().contacts().size())),
      state_(Vector::Zero(now.x.size())) {}

void ModeManager::enter_first_location() {
  const Automaton& automaton = now_.tools.automaton();
  const std::string& name = now_.run.location;
  const std::vector<Location>& locations = automaton.locations();
  const bool is_location = std::any_of(locations.begin(), locations.end(),
                                       [&](const Location& location) { return location.name == name; });
  const std::optional<JoinedEdges> joined =
      is_location ? std::nullopt : automaton.joined_edges(name, now_.t, now_.x);
  if (joined) {
    enter_pair(now_.tools.of_pair(joined->rising, joined->falling));
  } else {
    enter(name.empty() ? automaton.initial() : automaton.location_index(name));
  }
}

void ModeManager::go_to(const Place& place) {
  if (place.is_pair) return enter_pair(now_.tools.of_pair(place.first_edge, place.second_edge));
  enter(place.location);
  if (place.second_order.empty()) return;
  if (LocationTools* const tools = second_order_tools(now_, place.second_order))
    use_in_second_order(*tools, place.second_order);
}

// Switches to the tools of a location; the mode is found afterwards.
void ModeManager::enter(std::size_t location) {
  now_.regime.location = location;
  now_.regime.pair = nullptr;
  now_.regime.second_order.clear();
  take_tools(now_.tools.of_location(location));
  const Index surfaces = now_.here->system.surfaces();
  if (now_.mode.size() != surfaces) {
    // Leaving a pair of locations drops the surface between them.
    Mode mode(surfaces);
    for (Index i = 0; i < std::min(surfaces, now_.mode.size()); ++i) mode.set(i, now_.mode[i]);
    now_.mode = mode;
    now_.lambda.conservativeResizeLike(Vector::Zero(surfaces));
  }
  size_guard_vectors();
}

void ModeManager::take_tools(LocationTools& tools) {
  if (now_.here) {
    tools.guards.take_over(now_.here->guards, now_.here->watch, tools.watch, now_.t);
  } else {
    tools.guards.begin(now_.t);
  }
  now_.here = &tools;
}

void ModeManager::size_guard_vectors() {
  const Index surfaces = now_.here->system.surfaces();
  guards_ = Vector::Zero(surfaces);
  locator_.resize();
}

}  // namespace slideway
