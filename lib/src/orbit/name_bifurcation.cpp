#include "orbit/name_bifurcation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace slideway {

namespace {

using Events = std::vector<const EventRecord*>;

bool is_impact(const EventRecord& event) {
  return event.kind == EventKind::impact || event.kind == EventKind::contact ||
         event.kind == EventKind::release || event.kind == EventKind::zeno;
}

Events events_of(const PeriodicOrbit& orbit) {
  Events events;
  for (const EventRecord& event : orbit.solution.events)
    if (event.from && event.kind != EventKind::grazing) events.push_back(&event);
  return events;
}

// The first touch of a surface, which changes no mode; null where there is none.
const EventRecord* touch_of(const PeriodicOrbit& orbit) {
  for (const EventRecord& event : orbit.solution.events)
    if (event.from && event.kind == EventKind::grazing) return &event;
  return nullptr;
}

std::ptrdiff_t impacts_of(const Events& events) {
  return std::count_if(events.begin(), events.end(), [](const auto* event) { return is_impact(*event); });
}

std::string surface_of(const EventRecord& event) {
  return event.surface_names.size() > 0 ? event.surface_names[0] : event.name.value_or("");
}

double time_after(const Events& events, double period, std::size_t k) {
  const bool is_last = k + 1 == events.size();
  return events[is_last ? 0 : k + 1]->t - events[k]->t + (is_last ? period : 0);
}

// The impact with the smallest jump; nothing where a contact closes or opens otherwise.
std::optional<std::size_t> weakest_impact(const Events& events) {
  std::optional<std::size_t> weakest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (!is_impact(*events[k])) continue;
    if (events[k]->kind != EventKind::impact || events[k]->before.size() == 0) return std::nullopt;
    const double jump = (events[k]->after - events[k]->before).norm();
    if (jump >= least) continue;
    least = jump;
    weakest = k;
  }
  return weakest;
}

std::size_t shortest_time(const Events& events, double period) {
  std::size_t shortest = 0;
  for (std::size_t k = 1; k < events.size(); ++k)
    if (time_after(events, period, k) < time_after(events, period, shortest)) shortest = k;
  return shortest;
}

bool are_alike(const EventRecord& a, const EventRecord& b) {
  return a.kind == b.kind && surface_of(a) == surface_of(b);
}

// The first of two neighbours that have changed places, where nothing else has.
std::optional<std::size_t> changed_places(const Events& one, const Events& other) {
  for (std::size_t k = 0; k + 1 < one.size(); ++k) {
    if (are_alike(*one[k], *other[k])) continue;
    if (are_alike(*one[k], *other[k + 1]) && are_alike(*one[k + 1], *other[k])) return k;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> VanishingQuantity::of(const PeriodicOrbit& orbit) const {
  const Events events = events_of(orbit);
  if (event >= events.size()) return std::nullopt;
  if (!is_jump) return time_after(events, orbit.period, event);
  if (events[event]->before.size() == 0) return std::nullopt;
  return (events[event]->after - events[event]->before).norm();
}

NamedBifurcation name_bifurcation(const PeriodicOrbit& one, const PeriodicOrbit& other) {
  const Events events_of_one = events_of(one), events_of_other = events_of(other);
  const std::ptrdiff_t impacts_of_one = impacts_of(events_of_one),
                       impacts_of_other = impacts_of(events_of_other);
  if (impacts_of_one != impacts_of_other) {
    NamedBifurcation named{Bifurcation::grazing, "the speed of an impact vanishes"};
    const bool of_other = impacts_of_other > impacts_of_one;
    if (const auto weakest = weakest_impact(of_other ? events_of_other : events_of_one))
      named.vanishing = VanishingQuantity{.is_jump = true, .of_other = of_other, .event = *weakest};
    return named;
  }
  if (events_of_one.size() == events_of_other.size()) {
    for (const PeriodicOrbit* const orbit : {&one, &other})
      if (const EventRecord* const touch = touch_of(*orbit))
        return {Bifurcation::grazing, "the orbit touches '" + surface_of(*touch) + "'"};
    NamedBifurcation named{Bifurcation::other, "two events change their order"};
    if (const auto first = changed_places(events_of_one, events_of_other))
      named.vanishing = VanishingQuantity{.event = *first};
    return named;
  }
  const bool of_other = events_of_other.size() > events_of_one.size();
  const Events& events = of_other ? events_of_other : events_of_one;
  if (events.size() < 2) return {Bifurcation::other, "an event appears by itself"};
  const std::size_t shortest = shortest_time(events, of_other ? other.period : one.period);
  const EventRecord& first = *events[shortest];
  const EventRecord& second = *events[shortest + 1 == events.size() ? 0 : shortest + 1];
  const std::string at = " at '" + surface_of(second) + "' vanishes";
  const auto named = [&](Bifurcation kind, const std::string& what) {
    return NamedBifurcation{kind, what + at, VanishingQuantity{.of_other = of_other, .event = shortest}};
  };
  const auto is = [&](EventKind first_kind, EventKind second_kind) {
    return first.kind == first_kind && second.kind == second_kind;
  };
  if (is(EventKind::sliding_entry, EventKind::sliding_exit)) {
    const bool comes_back = second.to && first.from == second.to;
    return named(comes_back ? Bifurcation::grazing_sliding : Bifurcation::crossing_sliding,
                 "the time of sliding");
  }
  if (is(EventKind::sliding_exit, EventKind::sliding_entry))
    return named(Bifurcation::adding_sliding, "the time between two stretches of sliding");
  if (is(EventKind::crossing, EventKind::sliding_entry))
    return named(Bifurcation::switching_sliding, "the time between a crossing and the sliding after it");
  if (is(EventKind::crossing, EventKind::crossing))
    return named(Bifurcation::grazing, "the time between two crossings");
  return named(Bifurcation::other, "the time between two events");
}

}  // namespace slideway
