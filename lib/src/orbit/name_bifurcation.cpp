#include "orbit/name_bifurcation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/number_text.hpp"
#include "orbit/orbit_events.hpp"

namespace slideway {

namespace {

bool is_impact(const EventRecord& event) {
  return event.kind == EventKind::impact || event.kind == EventKind::contact ||
         event.kind == EventKind::release || event.kind == EventKind::zeno;
}

// The first touch of a surface, which changes no mode; null where there is none.
const EventRecord* touch_of(const PeriodicOrbit& orbit) {
  for (const EventRecord& event : orbit.solution.events)
    if (event.from && event.kind == EventKind::grazing) return &event;
  return nullptr;
}

std::ptrdiff_t impacts_of(const OrbitEvents& events) {
  return std::count_if(events.begin(), events.end(), [](const auto* event) { return is_impact(*event); });
}

std::string surface_of(const EventRecord& event) {
  return event.surface_names.size() > 0 ? event.surface_names[0] : event.name.value_or("");
}

}  // namespace

NamedBifurcation name_bifurcation(const PeriodicOrbit& one, const PeriodicOrbit& other) {
  const auto events_of_one = changing_events(one), events_of_other = changing_events(other);
  if (impacts_of(events_of_one) != impacts_of(events_of_other))
    return {Bifurcation::grazing, "the speed of an impact vanishes"};
  if (events_of_one.size() == events_of_other.size())
    for (const PeriodicOrbit* const orbit : {&one, &other})
      if (const EventRecord* const touch = touch_of(*orbit))
        return {Bifurcation::grazing, "the orbit touches '" + surface_of(*touch) + "'"};
  const bool other_is_longer = events_of_other.size() > events_of_one.size();
  const auto& events = other_is_longer ? events_of_other : events_of_one;
  const double period = other_is_longer ? other.period : one.period;
  if (events.size() < 2 || events_of_one.size() == events_of_other.size())
    return {Bifurcation::other, "two events change their order"};
  // The shortest time between two events that follow each other, round the orbit.
  double shortest = std::numeric_limits<double>::infinity();
  const EventRecord* first = nullptr;
  const EventRecord* second = nullptr;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const bool is_last = k + 1 == events.size();
    const EventRecord* next = events[is_last ? 0 : k + 1];
    const double length = next->t - events[k]->t + (is_last ? period : 0);
    if (length >= shortest) continue;
    shortest = length;
    first = events[k];
    second = next;
  }
  const std::string at = " at '" + surface_of(*second) + "' vanishes (" + number_text(shortest) + ")";
  const auto is = [&](EventKind one_kind, EventKind other_kind) {
    return first->kind == one_kind && second->kind == other_kind;
  };
  if (is(EventKind::sliding_entry, EventKind::sliding_exit)) {
    const bool comes_back = second->to && first->from == second->to;
    return comes_back ? NamedBifurcation{Bifurcation::grazing_sliding, "the time of sliding" + at}
                      : NamedBifurcation{Bifurcation::crossing_sliding, "the time of sliding" + at};
  }
  if (is(EventKind::sliding_exit, EventKind::sliding_entry))
    return {Bifurcation::adding_sliding, "the time between two stretches of sliding" + at};
  if (is(EventKind::crossing, EventKind::sliding_entry))
    return {Bifurcation::switching_sliding, "the time between a crossing and the sliding after it" + at};
  if (is(EventKind::crossing, EventKind::crossing))
    return {Bifurcation::grazing, "the time between two crossings" + at};
  return {Bifurcation::other, "the time between two events" + at};
}

}  // namespace slideway
