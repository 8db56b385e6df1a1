#include "local/coupling.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "local/factors.hpp"

namespace slideway {

namespace {

Index row_length(const Pattern& pattern, Index row) {
  return pattern.start[at(row) + 1] - pattern.start[at(row)];
}

Index longest_row(const Pattern& pattern) {
  Index longest = 0;
  for (Index row = 0; row < pattern.rows; ++row) longest = std::max(longest, row_length(pattern, row));
  return longest;
}

bool is_long(const Pattern& pattern) {
  return longest_row(pattern) > kLongestLocalRow || longest_row(transposed(pattern)) > kLongestLocalRow;
}

std::vector<char> global_surfaces_of(const SystemDefinition& definition) {
  std::vector<char> global(at(definition.surfaces), 0);
  if (definition.surfaces == 0) return global;
  const Pattern relay_acts_on = transposed(*definition.field_dlambda_pattern);
  for (Index i = 0; i < definition.surfaces; ++i) {
    global[at(i)] = row_length(*definition.guards_dx_pattern, i) > kLongestLocalRow ||
                    row_length(relay_acts_on, i) > kLongestLocalRow;
  }
  return global;
}

// An event that does not tell what it reads or touches may read and touch anything.
bool is_global(const Event& event, Index states) {
  const std::optional<GuardShape> shape = event.when.shape(states);
  if (!shape || static_cast<Index>(shape->states.size()) > kLongestLocalRow) return true;
  if (event.action != Action::reset) return false;
  return !event.touches || static_cast<Index>(event.touches->size()) > kLongestLocalRow;
}

// An action that is on its way belongs to the place of its event.
std::string why_not_delayed(const Event& event, Index states) {
  if (!(event.delay.time > 0)) return "";
  if (event.delay.values == DelayedValues::trigger && event.delay.sets.empty())
    return "does not tell which states it sets (Delay::sets)";
  return is_global(event, states) ? "does not tell which states it reads and touches, or too many of them"
                                  : "";
}

std::vector<char> global_events_of(const SystemDefinition& definition) {
  std::vector<char> global;
  for (const Event& event : definition.events) global.push_back(is_global(event, definition.states));
  return global;
}

std::string why_not(const Contact& contact, Index states) {
  if (contact.friction || contact.cone) return "has friction";
  if (!contact.acts_on_states) return "does not tell which states it acts on (Contact::acts_on_states)";
  const std::optional<GuardShape> shape = contact.gap.shape(states);
  const bool is_short = shape && static_cast<Index>(shape->states.size()) <= kLongestLocalRow &&
                        static_cast<Index>(contact.acts_on_states->size()) <= kLongestLocalRow;
  return is_short ? "" : "depends on, or acts on, too many states";
}

Index count_of(const std::vector<char>& flags) { return std::count(flags.begin(), flags.end(), 1); }

// The rows of a pattern, those with a flag being empty.
Pattern without_rows(const Pattern& pattern, const std::vector<char>& flags) {
  std::vector<std::vector<Index>> rows(at(pattern.rows));
  for (Index i = 0; i < pattern.rows; ++i) {
    if (flags[at(i)] != 0) continue;
    for_row(pattern, i, [&](Index j) { rows[at(i)].push_back(j); });
  }
  return pattern_from_rows(pattern.columns, std::move(rows));
}

}  // namespace

std::string Coupling::why_none(const System& system, Index edges) {
  const SystemDefinition& definition = system.definition();
  const bool has_patterns =
      definition.field_dx_pattern &&
      (definition.surfaces == 0 || (definition.field_dlambda_pattern && definition.guards_dx_pattern));
  if (!has_patterns) return "the system does not tell the patterns of its derivatives";
  for (const Contact& contact : definition.contacts) {
    if (std::string why = why_not(contact, definition.states); !why.empty())
      return "the contact '" + contact.name + "' " + why;
  }
  if (is_long(*definition.field_dx_pattern))
    return "a derivative depends on, or a state acts on, too many others";
  for (const Event& event : definition.events) {
    if (std::string why = why_not_delayed(event, definition.states); !why.empty())
      return (event.name.empty() ? "an event" : "the event '" + event.name + "'") + " has a delay and " + why;
  }
  const Index surfaces = count_of(global_surfaces_of(definition));
  if (surfaces > kMostGlobal)
    return std::to_string(surfaces) + " surfaces depend on, or act on, too many states each";
  const Index events = count_of(global_events_of(definition));
  if (events > kMostGlobal)
    return std::to_string(events) +
           " events do not tell which states they read and touch (Event::touches), or too many of them";
  if (events + edges > kMostGlobal)
    return "more than " + std::to_string(kMostGlobal) + " events and edges belong to no place";
  // A state that many relays act on would be part of every cluster.
  if (definition.surfaces > 0 && longest_row(*definition.field_dlambda_pattern) > kLongestLocalRow)
    return "too many relays act on one state";
  return "";
}

Coupling::Coupling(const System& system, Index edges) : first_contact(system.surfaces()) {
  const SystemDefinition& definition = system.definition();
  const Index n = definition.states;
  const Index m = definition.surfaces;
  const Pattern& field = *definition.field_dx_pattern;
  global_surfaces_ = global_surfaces_of(definition);
  global_surfaces_.resize(at(m) + definition.contacts.size(), 0);
  global_events_ = global_events_of(definition);
  global_events_.resize(global_events_.size() + at(edges), 1);
  has_global_ = count_of(global_surfaces_) + count_of(global_events_) > 0;
  std::vector<std::vector<Index>> of_guards(global_surfaces_.size());
  std::vector<std::vector<Index>> of_relays(global_surfaces_.size());
  if (m > 0) {
    const Pattern relays = transposed(*definition.field_dlambda_pattern);
    for (Index i = 0; i < m; ++i) {
      for_row(*definition.guards_dx_pattern, i, [&](Index j) { of_guards[at(i)].push_back(j); });
      for_row(relays, i, [&](Index j) { of_relays[at(i)].push_back(j); });
    }
  }
  for (std::size_t c = 0; c < definition.contacts.size(); ++c) {
    of_guards[at(m) + c] = definition.contacts[c].gap.shape(n)->states;
    of_relays[at(m) + c] = *definition.contacts[c].acts_on_states;
  }
  const Pattern relays = pattern_from_rows(n, std::move(of_relays));
  guard_reads = without_rows(pattern_from_rows(n, std::move(of_guards)), global_surfaces_);
  acted_on_by = transposed(relays);
  relay_acts_on = without_rows(relays, global_surfaces_);
  read_by_guards = transposed(guard_reads);
  std::vector<std::vector<Index>> reads, touches;
  for (std::size_t e = 0; e < definition.events.size(); ++e) {
    const Event& event = definition.events[e];
    const bool is_local = global_events_[e] == 0;
    reads.push_back(is_local ? event.when.shape(n)->states : std::vector<Index>());
    touches.push_back(is_local ? event.touches.value_or(std::vector<Index>()) : std::vector<Index>());
  }
  event_reads = pattern_from_rows(n, std::move(reads));
  event_touches = pattern_from_rows(n, std::move(touches));
  read_by_events = transposed(event_reads);

  const Pattern by_state = transposed(field);
  std::vector<std::vector<Index>> rows(at(n));
  for (Index j = 0; j < n; ++j) for_row(by_state, j, [&](Index i) { rows[at(j)].push_back(i); });
  std::vector<Index> sources;
  for (Index surface = 0; surface < guard_reads.rows; ++surface) {
    sources.clear();
    for_row(guard_reads, surface, [&](Index state) {
      sources.push_back(state);
      for_row(field, state, [&](Index of_rate) {
        sources.push_back(of_rate);
        if (surface >= m) for_row(field, of_rate, [&](Index of_second) { sources.push_back(of_second); });
      });
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
