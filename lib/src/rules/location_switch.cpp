#include "rules/location_switch.hpp"

#include <algorithm>

#include "rules/second_order_sliding.hpp"

namespace slideway {

void LocationSwitch::enter_first_location() {
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

void LocationSwitch::go_to(const Place& place) {
  if (place.is_pair) return enter_pair(now_.tools.of_pair(place.first_edge, place.second_edge));
  enter(place.location);
  if (place.second_order.empty()) return;
  LocationTools* const tools = second_order_tools(now_, place.second_order);
  if (!tools) return;
  std::vector<Index> surfaces = place.second_order;
  for (const SecondOrder::Bound& one : tools->bound()) std::erase(surfaces, one.surface);
  use_in_second_order(*tools, surfaces);
}

void LocationSwitch::enter(std::size_t location) {
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
  locator_.resize();
}

void LocationSwitch::take_tools(LocationTools& tools) {
  if (now_.here) {
    tools.guards.take_over(now_.here->guards, now_.here->watch, tools.watch, now_.t);
  } else {
    tools.guards.begin(now_.t);
  }
  now_.here = &tools;
}

void LocationSwitch::enter_pair(const RunTools::Pair& pair) {
  now_.regime.pair = &pair;
  now_.regime.second_order.clear();
  take_tools(*pair.tools);
  now_.regime.location = pair.minus;
  Mode mode(now_.here->system.surfaces());
  for (Index i = 0; i < std::min(mode.size(), now_.mode.size()); ++i) mode.set(i, now_.mode[i]);
  now_.mode = mode;
  now_.lambda.conservativeResizeLike(Vector::Zero(now_.mode.size()));
  locator_.resize();
}

void LocationSwitch::use_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces) {
  tools.guards = now_.here->guards;
  if (now_.here->contacts) tools.contacts->take_over(*now_.here->contacts);
  now_.here = &tools;
  now_.regime.second_order = surfaces;
  locator_.resize();
}

}  // namespace slideway
