#include "local/coupling.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "local/factors.hpp"

namespace slideway {

namespace {

Index longest_row(const Pattern& pattern) {
  Index longest = 0;
  for (std::size_t i = 0; i + 1 < pattern.start.size(); ++i)
    longest = std::max(longest, pattern.start[i + 1] - pattern.start[i]);
  return longest;
}

bool is_long(const Pattern& pattern) {
  return longest_row(pattern) > kLongestLocalRow || longest_row(transposed(pattern)) > kLongestLocalRow;
}

// Why an event has no place of its own; "" where it has.
std::string why_no_place(const System& system, const Event& event) {
  const std::string which = event.name.empty() ? "an event" : "the event '" + event.name + "'";
  const std::optional<GuardShape> shape = event.when.shape(system.states());
  if (!shape) return which + " does not tell which states its guard reads";
  if (static_cast<Index>(shape->states.size()) > kLongestLocalRow) return which + " reads too many states";
  if (event.delay.time > 0) return which + " has a delay";
  if (event.action != Action::reset) return "";
  if (!event.touches) return which + " does not tell which states its reset touches (Event::touches)";
  if (static_cast<Index>(event.touches->size()) > kLongestLocalRow) return which + " touches too many states";
  return "";
}

}  // namespace

std::string Coupling::why_none(const System& system) {
  const SystemDefinition& definition = system.definition();
  const bool has_patterns =
      definition.field_dx_pattern &&
      (definition.surfaces == 0 || (definition.field_dlambda_pattern && definition.guards_dx_pattern));
  if (!has_patterns) return "the system does not tell the patterns of its derivatives";
  if (!definition.contacts.empty()) return "the system has contacts";
  if (!definition.time_events.empty()) return "the system has time events";
  if (is_long(*definition.field_dx_pattern))
    return "a derivative depends on, or a state acts on, too many others";
  if (definition.surfaces > 0 &&
      (is_long(*definition.guards_dx_pattern) || is_long(*definition.field_dlambda_pattern)))
    return "a surface depends on, or acts on, too many states";
  for (const Event& event : definition.events) {
    if (std::string why = why_no_place(system, event); !why.empty()) return why;
  }
  return "";
}

Coupling::Coupling(const System& system) {
  const SystemDefinition& definition = system.definition();
  const Index n = definition.states;
  const Index m = definition.surfaces;
  const Pattern& field = *definition.field_dx_pattern;
  const Pattern none = pattern_from_rows(n, {});
  guard_reads = m > 0 ? *definition.guards_dx_pattern : none;
  acted_on_by = m > 0 ? *definition.field_dlambda_pattern
                      : pattern_from_rows(0, std::vector<std::vector<Index>>(at(n)));
  relay_acts_on = transposed(acted_on_by);
  read_by_guards = transposed(guard_reads);
  std::vector<std::vector<Index>> reads, touches;
  for (const Event& event : definition.events) {
    reads.push_back(event.when.shape(n)->states);
    touches.push_back(event.touches.value_or(std::vector<Index>()));
  }
  event_reads = pattern_from_rows(n, std::move(reads));
  event_touches = pattern_from_rows(n, std::move(touches));
  read_by_events = transposed(event_reads);

  const Pattern by_state = transposed(field);
  std::vector<std::vector<Index>> rows(at(n));
  for (Index j = 0; j < n; ++j) for_row(by_state, j, [&](Index i) { rows[at(j)].push_back(i); });
  std::vector<Index> sources;
  for (Index surface = 0; surface < m; ++surface) {
    sources.clear();
    for_row(guard_reads, surface, [&](Index state) {
      sources.push_back(state);
      for_row(field, state, [&](Index of_rate) { sources.push_back(of_rate); });
    });
    for (const Index source : sources)
      for_row(relay_acts_on, surface, [&](Index target) { rows[at(source)].push_back(target); });
  }
  for (Index event = 0; event < event_reads.rows; ++event) {
    for_row(event_reads, event, [&](Index source) {
      for_row(event_touches, event, [&](Index target) { rows[at(source)].push_back(target); });
    });
    for_row(event_touches, event, [&](Index source) {
      for_row(event_touches, event, [&](Index target) { rows[at(source)].push_back(target); });
    });
  }
  influences = pattern_from_rows(n, std::move(rows));
}

}  // namespace slideway
