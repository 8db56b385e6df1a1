#include "orbit/defining_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "orbit/equilibrium_place.hpp"
#include "orbit/least_along.hpp"
#include "orbit/orbit_events.hpp"
#include "slideway/simulate/forces_along.hpp"

namespace slideway {

namespace {

bool is_alike(const EventRecord& a, const EventRecord& b) {
  return a.kind == b.kind && a.name == b.name && a.surface_names.size() == b.surface_names.size() &&
         std::equal(a.surface_names.begin(), a.surface_names.end(), b.surface_names.begin());
}

// The events of an orbit as text, which outlives the orbit.
struct Wording {
  std::vector<std::string> words = {};

  explicit Wording(const OrbitEvents& events) {
    for (const EventRecord* const event : events) {
      std::string word = to_string(event->kind);
      for (const std::string& name : event->surface_names) word += "|" + name;
      words.push_back(word + "|" + event->name.value_or(""));
    }
  }
  bool operator==(const Wording&) const = default;
};

bool is_of_one_surface(const EventRecord& event) { return event.surfaces.size() == 1; }

bool is_arrival(const EventRecord& event) {
  return is_of_one_surface(event) &&
         (event.kind == EventKind::crossing || event.kind == EventKind::sliding_entry);
}

Side side_before(const EventRecord& event) {
  return event.listed_only ? (*event.from)[0] : (*event.from)[event.surfaces[0]];
}

// The component of the field on the side that the orbit does not come from.
double component_beyond(const EventRecord& event) {
  return side_before(event) == Side::minus ? event.w_plus[0] : event.w_minus[0];
}

// The difference of two orbits: the events of the shorter one between those that both have, and those of the longer one.
struct Difference {
  OrbitEvents shorter = {}, longer = {};  // all events
  std::size_t first = 0;                  // of the difference
  std::size_t shorter_count = 0, longer_count = 0;

  const EventRecord& of_longer(std::size_t k) const { return *longer[first + k]; }
  const EventRecord& of_shorter(std::size_t k) const { return *shorter[first + k]; }
};

// The choice of the additional events is not unique if they repeat themselves: a stretch of sliding, or the break before it. difference_of() takes
// the two events with the shortest time between them, since that time is about to vanish.
Difference difference_of(OrbitEvents shorter, OrbitEvents longer) {
  Difference result{.shorter = std::move(shorter), .longer = std::move(longer)};
  const std::size_t size = result.shorter.size(), more = result.longer.size() - size;
  std::size_t begin = 0, end = size;
  while (begin < size && is_alike(*result.shorter[begin], *result.longer[begin])) ++begin;
  while (end > 0 && is_alike(*result.shorter[end - 1], *result.longer[end - 1 + more])) --end;
  result.first = begin;
  if (begin < end) {
    result.shorter_count = end - begin;
  } else if (more > 1) {
    const auto length = [&](std::size_t k) { return result.longer[k + 1]->t - result.longer[k]->t; };
    for (std::size_t k = end; k < begin; ++k)
      if (length(k) < length(result.first)) result.first = k;
  }
  result.longer_count = result.shorter_count + more;
  return result;
}

// guard_of() returns the guard whose zero the event is, in a location of the problem. It is empty for an event of another kind.
std::function<double(double t, ConstVectorRef x)> guard_of(const Automaton& problem, const System& system,
                                                           const EventRecord& event) {
  const auto of = [](const Guard& guard) {
    return [guard](double t, ConstVectorRef x) { return guard.value(t, x); };
  };
  if (event.kind == EventKind::impact || event.kind == EventKind::contact) {
    for (const Contact& contact : system.contacts())
      if (contact.name == event.name) return of(contact.gap);
  } else if (event.kind == EventKind::transition) {
    for (const Edge& edge : problem.edges())
      if (edge.from == event.from_location && edge.to == event.to_location &&
          edge.name == event.name.value_or(""))
        return of(edge.when);
  } else if (event.kind == EventKind::reset) {
    for (const Event& one : system.events())
      if (one.name == event.name) return of(one.when);
  } else if (is_arrival(event)) {
    return [system, surface = event.surfaces[0]](double t, ConstVectorRef x) {
      Vector guards = Vector::Zero(system.surfaces());
      system.guards(t, x, guards);
      return guards[surface];
    };
  }
  return {};
}

// The times between which the shorter orbit has nothing of what the longer one does.
struct Window {
  double start = 0, end = 0;
};
Window window_of(const OrbitEvents& events, const PeriodicOrbit& orbit, std::size_t first) {
  return {.start = first == 0 ? orbit.start : events[first - 1]->t,
          .end = first == events.size() ? orbit.start + orbit.period : events[first]->t};
}

// on_same_events() gives `value` on orbits with these events, and nothing on others.
template <class Value>
auto on_same_events(const OrbitEvents& events, const Value& value) {
  return [wanted = Wording(events), value](const Automaton& problem,
                                           const PeriodicOrbit& orbit) -> std::optional<double> {
    const OrbitEvents found = changing_events(orbit);
    if (!(Wording(found) == wanted)) return std::nullopt;
    const std::optional<double> result = value(problem, orbit, found);
    return result && std::isfinite(*result) ? result : std::nullopt;
  };
}

DefiningFunction least_distance(const Difference& difference, const PeriodicOrbit& longer) {
  const EventRecord& touch = difference.of_longer(0);
  const std::string name = is_of_one_surface(touch) ? touch.surface_names[0] : touch.name.value_or("");
  const std::string location = longer.solution.trajectory.location(touch.t);
  const Vector met = longer.solution.trajectory(touch.t);
  const bool slides = std::any_of(
      difference.longer.begin() + static_cast<std::ptrdiff_t>(difference.first),
      difference.longer.begin() + static_cast<std::ptrdiff_t>(difference.first + difference.longer_count),
      [](const auto* event) { return event->kind == EventKind::sliding_entry; });
  return {
      .kind = slides ? Bifurcation::grazing_sliding : Bifurcation::grazing,
      .reason = "the least distance to '" + name + "' vanishes",
      .value = on_same_events(difference.shorter,
                              [touch, location, met, first = difference.first](
                                  const Automaton& problem, const PeriodicOrbit& orbit,
                                  const OrbitEvents& events) -> std::optional<double> {
                                // Each location has guards of its own.
                                const EquilibriumPlace place = place_named(problem, location, touch.t, met);
                                const auto guard = guard_of(problem, place.system, touch);
                                if (!guard) return std::nullopt;
                                const Window window = window_of(events, orbit, first);
                                return least_inside(orbit.solution.trajectory, window.start, window.end,
                                                    [&](double t, ConstVectorRef x, const Segment& segment) {
                                                      return segment.location == location
                                                                 ? std::abs(guard(t, x))
                                                                 : std::numeric_limits<double>::quiet_NaN();
                                                    });
                              })};
}

DefiningFunction component_at(const Difference& difference, std::size_t arrival, Bifurcation kind) {
  const std::string name = difference.shorter[arrival]->surface_names[0];
  return {.kind = kind,
          .reason = "the component of the field beyond '" + name + "' vanishes where the orbit arrives",
          .value = on_same_events(difference.shorter,
                                  [arrival](const Automaton&, const PeriodicOrbit&,
                                            const OrbitEvents& events) -> std::optional<double> {
                                    return component_beyond(*events[arrival]);
                                  })};
}

DefiningFunction least_relay(const Difference& difference, SlidingRule rule) {
  const EventRecord& exit = difference.of_longer(0);
  return {.kind = Bifurcation::adding_sliding,
          .reason = "the least of 1 - |lambda| along '" + exit.surface_names[0] + "' vanishes",
          .value = on_same_events(difference.shorter,
                                  [rule, surface = exit.surfaces[0], first = difference.first](
                                      const Automaton& problem, const PeriodicOrbit& orbit,
                                      const OrbitEvents& events) -> std::optional<double> {
                                    ForcesAlong forces(problem, rule);
                                    const Window window = window_of(events, orbit, first);
                                    return least_inside(
                                        orbit.solution.trajectory, window.start, window.end,
                                        [&](double t, ConstVectorRef x, const Segment& segment) {
                                          if (!segment.mode.slides_on(surface))
                                            return std::numeric_limits<double>::quiet_NaN();
                                          forces.find(t, x, segment.mode, segment.location);
                                          return 1 - std::abs(forces.lambda()[surface]);
                                        });
                                  })};
}

DefiningFunction time_between(const Difference& difference) {
  return {.reason = "two events change their order",
          .value = on_same_events(
              difference.shorter,
              [first = difference.first](const Automaton&, const PeriodicOrbit&, const OrbitEvents& events)
                  -> std::optional<double> { return events[first + 1]->t - events[first]->t; })};
}

std::optional<DefiningFunction> function_of(const Difference& difference, const PeriodicOrbit& longer,
                                            SlidingRule rule) {
  if (difference.longer_count == 0) return std::nullopt;
  const EventRecord& begin = difference.of_longer(0);
  if (difference.shorter_count == 0) {
    const std::size_t next = difference.first < difference.shorter.size() ? difference.first : 0;
    if (begin.kind == EventKind::sliding_exit && is_of_one_surface(begin))
      return least_relay(difference, rule);
    const bool is_crossing_before_sliding =
        difference.longer_count == 1 && begin.kind == EventKind::crossing && !difference.shorter.empty() &&
        difference.shorter[next]->kind == EventKind::sliding_entry && is_arrival(*difference.shorter[next]) &&
        is_arrival(begin) && difference.shorter[next]->surfaces[0] == begin.surfaces[0];
    if (is_crossing_before_sliding) return component_at(difference, next, Bifurcation::switching_sliding);
    const bool is_jump =
        begin.kind == EventKind::impact || begin.kind == EventKind::contact || begin.kind == EventKind::reset;
    const bool is_first_of_several =
        difference.longer_count > 1 && (begin.kind == EventKind::transition || is_arrival(begin));
    if (is_jump || is_first_of_several) return least_distance(difference, longer);
    return std::nullopt;
  }
  const EventRecord& instead = difference.of_shorter(0);
  if (is_arrival(begin) && is_arrival(instead) && begin.kind != instead.kind &&
      begin.surfaces[0] == instead.surfaces[0]) {
    const bool leaves = begin.kind == EventKind::sliding_entry && difference.longer_count >= 2 &&
                        difference.of_longer(1).kind == EventKind::sliding_exit;
    return component_at(difference, difference.first,
                        leaves ? Bifurcation::crossing_sliding : Bifurcation::switching_sliding);
  }
  const bool change_order = difference.shorter_count == 2 && difference.longer_count == 2 &&
                            is_alike(begin, difference.of_shorter(1)) &&
                            is_alike(instead, difference.of_longer(1));
  if (change_order) return time_between(difference);
  return std::nullopt;
}

}  // namespace

std::optional<DefiningFunction> defining_function(const PeriodicOrbit& one, const PeriodicOrbit& other,
                                                  SlidingRule rule) {
  OrbitEvents of_one = changing_events(one), of_other = changing_events(other);
  const bool one_is_shorter = of_one.size() <= of_other.size();
  const Difference difference = one_is_shorter ? difference_of(std::move(of_one), std::move(of_other))
                                               : difference_of(std::move(of_other), std::move(of_one));
  std::optional<DefiningFunction> result = function_of(difference, one_is_shorter ? other : one, rule);
  if (result) result->of_one = one_is_shorter;
  return result;
}

}  // namespace slideway
