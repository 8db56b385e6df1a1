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
    enter_pair(joined->rising, joined->falling);
  } else {
    enter(name.empty() ? automaton.initial() : automaton.location_index(name));
  }
}

void LocationSwitch::go_to(const Place& place) {
  if (place.is_pair) return enter_pair(place.first_edge, place.second_edge);
  enter(place.location);
  if (place.second_order.empty()) return;
  LocationTools* const tools = second_order_tools(now_, place.second_order);
  if (!tools) return;
  std::vector<Index> surfaces = place.second_order;
  for (const SecondOrder::Bound& one : tools->bound()) std::erase(surfaces, one.surface);
  use_in_second_order(*tools, surfaces);
}

void LocationSwitch::enter(std::size_t location) {
  now_.regime.place = {.location = location};
  take_tools(now_.tools.of_location(location));
  // Leaving a pair of locations drops the surface between them.
  const Index surfaces = now_.here->system.surfaces();
  if (now_.regime.mode().size() != surfaces) now_.regime.resize(surfaces);
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

void LocationSwitch::enter_pair(std::size_t first_edge, std::size_t second_edge) {
  const RunTools::Pair& pair = now_.tools.of_pair(first_edge, second_edge);
  const auto [first, second] = std::minmax(first_edge, second_edge);
  now_.regime.place = {.location = pair.minus, .is_pair = true, .first_edge = first, .second_edge = second};
  take_tools(*pair.tools);
  now_.regime.resize(now_.here->system.surfaces());
  locator_.resize();
}

void LocationSwitch::use_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces) {
  tools.guards = now_.here->guards;
  now_.here = &tools;
  now_.regime.place.second_order = surfaces;
  locator_.resize();
}

}  // namespace slideway
