#include "slideway/model/system.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "core/number_text.hpp"
#include "model/second_order_system.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway {
namespace {

// A message names at most this many row starts of a pattern.
constexpr std::size_t kMostStartsNamed = 12;

std::string place(const SystemDefinition& definition) {
  return definition.name.empty() ? "system" : "system '" + definition.name + "'";
}

// The names so far, in a table of their numbers: a system may have millions.
class DistinctNames {
 public:
  explicit DistinctNames(const std::vector<std::string>& names)
      : names_(names), table_(std::bit_ceil(2 * names.size() + 1), kNone) {}

  // The number of the first name that is the same as this one; names must be asked for in their order.
  std::size_t first(std::size_t number) {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = std::hash<std::string_view>{}(names_[number]) & mask;
    for (; table_[slot] != kNone; slot = (slot + 1) & mask)
      if (names_[table_[slot]] == names_[number]) return table_[slot];
    table_[slot] = static_cast<std::uint32_t>(number);
    return number;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  const std::vector<std::string>& names_;
  std::vector<std::uint32_t> table_;
};

// Names as the user gave them, or prefix1, prefix2, … when none are given.
std::vector<std::string> checked_names(std::vector<std::string> names, Index count, const std::string& noun,
                                       const std::string& prefix, const std::string& where) {
  if (names.empty()) {
    for (Index i = 1; i <= count; ++i) names.push_back(prefix + std::to_string(i));
    return names;
  }
  if (static_cast<Index>(names.size()) != count) {
    refuse({.what = "the number of " + noun + " names does not fit",
            .where = where,
            .expected = std::to_string(count) + " names or none",
            .got = std::to_string(names.size())});
  }
  DistinctNames distinct(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      refuse({.what = noun + " " + std::to_string(i + 1) + " has an empty name",
              .where = where,
              .expected = "a name, or no names at all for " + prefix + "1, " + prefix + "2, …"});
    }
    const std::size_t earlier = distinct.first(i);
    if (earlier != i) {
      refuse({.what = "two " + noun + " names are the same",
              .where = where,
              .expected = "distinct names",
              .got = "'" + names[i] + "' for " + noun + "s " + std::to_string(earlier + 1) + " and " +
                     std::to_string(i + 1)});
    }
  }
  return names;
}

Index index_of(const std::string& name, const std::vector<std::string>& names, const std::string& noun,
               const std::string& where) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();

  constexpr std::size_t most_listed = 12;
  std::string known;
  for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i) {
    known += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > most_listed) known += ", … (" + std::to_string(names.size()) + " in all)";
  const std::string near = nearest_name(name, names);
  refuse({.what = "there is no " + noun + " of that name",
          .where = where,
          .expected = known.empty() ? "no name: there are no " + noun + "s" : "one of " + known,
          .got = "'" + name + "'",
          .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
}

void check_pattern(const std::optional<Pattern>& pattern, Index rows, Index columns, const std::string& name,
                   const std::string& where) {
  if (!pattern) return;
  const auto size_text = [](Index r, Index c) { return std::to_string(r) + " x " + std::to_string(c); };
  const std::vector<Index>& start = pattern->start;
  const bool has_rows = static_cast<Index>(start.size()) == pattern->rows + 1;
  if (pattern->rows != rows || pattern->columns != columns || !has_rows) {
    refuse({.what = "the size of " + name + " does not fit",
            .where = where,
            .expected = size_text(rows, columns),
            .got = size_text(pattern->rows, pattern->columns) +
                   (has_rows ? "" : " with " + std::to_string(start.size()) + " row starts")});
  }
  for (const Index column : pattern->column) {
    if (column >= 0 && column < columns) continue;
    refuse({.what = name + " has an entry in a column that is not there",
            .where = where,
            .expected = "columns from 0 to " + std::to_string(columns - 1),
            .got = std::to_string(column)});
  }
  if (start.front() != 0 || start.back() != pattern->entries() ||
      !std::is_sorted(start.begin(), start.end())) {
    std::string starts;
    for (std::size_t i = 0; i < std::min(start.size(), kMostStartsNamed); ++i)
      starts += (i > 0 ? ", " : "") + std::to_string(start[i]);
    refuse({.what = "the rows of " + name + " do not begin where its entries are",
            .where = where,
            .expected = "Pattern::start from 0 to " + std::to_string(pattern->entries()) +
                        ", the number of entries, never decreasing",
            .got = starts + (start.size() > kMostStartsNamed ? ", …" : ""),
            .advice = "pattern_from_rows() makes a pattern from lists of columns"});
  }
  for (Index row = 0; row < rows; ++row) {
    const auto first = pattern->column.begin() + start[static_cast<std::size_t>(row)];
    const auto last = pattern->column.begin() + start[static_cast<std::size_t>(row) + 1];
    const auto wrong = std::adjacent_find(first, last, std::greater_equal<>());
    if (wrong == last) continue;
    refuse({.what = "the columns of row " + std::to_string(row) + " of " + name + " are out of order",
            .where = where,
            .expected = "every column once, in increasing order",
            .got = std::to_string(wrong[0]) + " before " + std::to_string(wrong[1]),
            .advice = "pattern_from_rows() makes a pattern from lists of columns"});
  }
}

void check_sides_at_zero(const SystemDefinition& definition, const std::string& where) {
  const std::vector<int>& sides = definition.sides_at_zero;
  if (!sides.empty() && static_cast<Index>(sides.size()) != definition.surfaces) {
    refuse({.what = "the list of sides at zero does not fit the surfaces",
            .where = where,
            .expected = std::to_string(definition.surfaces) + " entries, or none",
            .got = std::to_string(sides.size())});
  }
  for (const int side : sides) {
    if (side < -1 || side > 1) {
      refuse({.what = "a side at zero makes no sense",
              .where = where,
              .expected = "+1, -1, or 0 where nothing says it",
              .got = std::to_string(side)});
    }
  }
}

void check_events(const SystemDefinition& definition, const std::string& where) {
  for (std::size_t k = 0; k < definition.events.size(); ++k) {
    const Event& event = definition.events[k];
    const std::string which = event.name.empty() ? std::to_string(k + 1) : "'" + event.name + "'";
    if (!event.when) {
      refuse({.what = "event " + which + " has no guard",
              .where = where,
              .expected = "a guard g(t, x)",
              .got = "nothing"});
    }
    if (event.action == Action::reset && !event.reset) {
      refuse({.what = "reset " + which + " does not say what it sets",
              .where = where,
              .expected = "a function reset(t, before, after)",
              .got = "nothing"});
    }
    if (!(event.delay.time >= 0)) {
      refuse({.what = "the delay of event " + which + " makes no sense",
              .where = where,
              .expected = "a number >= 0",
              .got = number_text(event.delay.time)});
    }
    if (event.initially == Initially::fire && event.direction == Direction::any) {
      refuse({.what = "event " + which + " fires at the start in any direction",
              .where = "Event::initially",
              .expected = "Direction::rising or Direction::falling",
              .got = "Direction::any"});
    }
    if ((event.at_zero != AtZero::unknown || event.holds_at_zero) && event.direction == Direction::any) {
      refuse({.what = "event " + which + " has a condition that becomes true in any direction",
              .where = "Event::at_zero",
              .expected = "Direction::rising or Direction::falling",
              .got = "Direction::any"});
    }
    if (event.delay.time > 0 && event.action != Action::reset) {
      refuse({.what = "event " + which + " has a delay, and is no reset",
              .where = where,
              .expected = "a delay of resets and edges alone",
              .got = number_text(event.delay.time)});
    }
  }
}

void check_time_events(const SystemDefinition& definition, const std::string& where) {
  for (std::size_t k = 0; k < definition.time_events.size(); ++k) {
    const TimeEvent& event = definition.time_events[k];
    const std::string which =
        "time event " + (event.name.empty() ? std::to_string(k + 1) : "'" + event.name + "'");
    if (!event.reset) {
      refuse({.what = which + " does not say what it sets",
              .where = where,
              .expected = "a function reset(t, before, after)",
              .got = "nothing"});
    }
    if (event.at.empty()) {
      if (!(event.period > 0) || !std::isfinite(event.period)) {
        refuse({.what = "the period of " + which + " makes no sense",
                .where = where,
                .expected = "a number > 0, or times",
                .got = number_text(event.period)});
      }
      if (!std::isfinite(event.offset) || event.count < 0) {
        refuse({.what = "the offset or the count of " + which + " makes no sense",
                .where = where,
                .expected = "a finite offset, and a count >= 0",
                .got = number_text(event.offset) + " and " + std::to_string(event.count)});
      }
      continue;
    }
    const bool increases =
        std::adjacent_find(event.at.begin(), event.at.end(), std::greater_equal<>()) == event.at.end();
    const bool finite =
        std::all_of(event.at.begin(), event.at.end(), [](double t) { return std::isfinite(t); });
    if (!increases || !finite || event.period != 0) {
      refuse({.what = "the times of " + which + " make no sense",
              .where = where,
              .expected = "finite times, each later than the one before, and no period",
              .got = event.period != 0 ? "times and a period" : "other ones"});
    }
  }
}

void check_contacts(SystemDefinition& definition, const std::string& where) {
  for (std::size_t k = 0; k < definition.contacts.size(); ++k) {
    Contact& contact = definition.contacts[k];
    if (contact.name.empty()) contact.name = "contact" + std::to_string(k + 1);
    const auto lacks = [&](const std::string& part, const std::string& expected) {
      refuse({.what = "contact '" + contact.name + "' has no " + part,
              .where = where,
              .expected = expected,
              .got = "nothing"});
    };
    if (!contact.gap) lacks("gap", "a function gap(t, x)");
    if (!contact.acts_on) lacks("direction of its force", "a function acts_on(t, x, b)");
    if (!contact.restitution) lacks("restitution", "a function of the approach speed");
    if (contact.friction) {
      const ContactFriction& friction = *contact.friction;
      if (!friction.coefficient) lacks("coefficient of friction", "a function coefficient(t, x)");
      if (!friction.acts_on) lacks("direction of its friction", "a function friction.acts_on(t, x, c)");
      if (friction.surface < 0 || friction.surface >= definition.surfaces) {
        refuse({.what = "the friction of contact '" + contact.name + "' has a surface that there is not",
                .where = where,
                .expected = "the number of a surface whose guard is the velocity, from 0 to " +
                            std::to_string(definition.surfaces - 1),
                .got = std::to_string(friction.surface)});
      }
    }
    if (contact.cone) {
      const ConeFriction& cone = *contact.cone;
      if (!cone.coefficient) lacks("coefficient of friction", "a function coefficient(t, x)");
      for (std::size_t part = 0; part < 2; ++part) {
        if (!cone.velocities[part]) lacks("velocity of slip", "two functions, cone.velocities[0] and [1]");
        if (!cone.acts_on[part]) lacks("direction of its friction", "two functions, cone.acts_on[0] and [1]");
      }
      if (contact.friction) {
        refuse({.what = "contact '" + contact.name + "' has friction along a line and in a plane",
                .where = where,
                .expected = "Contact::friction or Contact::cone",
                .got = "both"});
      }
    }
    if (!contact.acts_on_states) continue;
    for (const Index state : *contact.acts_on_states) {
      if (state >= 0 && state < definition.states) continue;
      refuse({.what = "contact '" + contact.name + "' acts on a state that there is not",
              .where = where + ", acts_on_states",
              .expected = "indices from 0 to " + std::to_string(definition.states - 1),
              .got = std::to_string(state)});
    }
  }
}

// any_contact_may_move() tells whether a force of a contact may take part in the speed across one of these
// surfaces: then that is not what the field alone tells.
bool any_contact_may_move(const SystemDefinition& definition, const std::vector<Index>& surfaces) {
  if (definition.contacts.empty()) return false;
  if (!definition.guards_dx_pattern) return true;
  const Pattern& seen = *definition.guards_dx_pattern;
  const auto sees = [&](Index surface, Index state) {
    const auto row = static_cast<std::size_t>(surface);
    const auto last = seen.column.begin() + seen.start[row + 1];
    return std::find(seen.column.begin() + seen.start[row], last, state) != last;
  };
  return std::any_of(definition.contacts.begin(), definition.contacts.end(), [&](const Contact& contact) {
    return !contact.acts_on_states || contact.friction || contact.cone ||
           std::any_of(contact.acts_on_states->begin(), contact.acts_on_states->end(), [&](Index state) {
             return std::any_of(surfaces.begin(), surfaces.end(), [&](Index i) { return sees(i, state); });
           });
  });
}

}  // namespace

System::System(SystemDefinition definition) {
  const std::string where = place(definition);
  if (definition.states < 1) {
    refuse({.what = "a system needs at least one state",
            .where = where,
            .expected = "states >= 1",
            .got = std::to_string(definition.states)});
  }
  if (definition.surfaces < 0) {
    refuse({.what = "the number of switching surfaces is negative",
            .where = where,
            .expected = "surfaces >= 0",
            .got = std::to_string(definition.surfaces)});
  }
  if (!definition.field) {
    refuse({.what = "the field is missing",
            .where = where,
            .expected = "a function field(t, x, lambda, dx)",
            .got = "nothing"});
  }
  if (definition.surfaces > 0 && !definition.guards) {
    refuse({.what = "the guards are missing",
            .where = where,
            .expected = "a function guards(t, x, h) that sets " + std::to_string(definition.surfaces) +
                        (definition.surfaces == 1 ? " value" : " values"),
            .got = "nothing"});
  }
  definition.state_names =
      checked_names(std::move(definition.state_names), definition.states, "state", "x", where);
  definition.surface_names =
      checked_names(std::move(definition.surface_names), definition.surfaces, "surface", "h", where);
  const Index n = definition.states, m = definition.surfaces;
  check_sides_at_zero(definition, where);
  check_pattern(definition.field_dx_pattern, n, n, "field_dx_pattern", where);
  check_pattern(definition.field_dlambda_pattern, n, m, "field_dlambda_pattern", where);
  check_pattern(definition.guards_dx_pattern, m, n, "guards_dx_pattern", where);
  check_events(definition, where);
  check_time_events(definition, where);
  if (definition.discrete < 0 || definition.discrete > n) {
    refuse({.what = "the number of discrete states makes no sense",
            .where = where,
            .expected = "0 to " + std::to_string(n) + ", of all states",
            .got = std::to_string(definition.discrete)});
  }
  check_contacts(definition, where);
  definition_ = std::make_shared<const SystemDefinition>(std::move(definition));
}

System System::with_events(std::vector<Event> events) const {
  SystemDefinition definition = *definition_;
  for (Event& event : events) definition.events.push_back(std::move(event));
  return System(std::move(definition));
}

System System::with_time_events(std::vector<TimeEvent> events) const {
  SystemDefinition definition = *definition_;
  for (TimeEvent& event : events) definition.time_events.push_back(std::move(event));
  return System(std::move(definition));
}

System System::with_contacts(std::vector<Contact> contacts) const {
  SystemDefinition definition = *definition_;
  for (Contact& contact : contacts) definition.contacts.push_back(std::move(contact));
  return System(std::move(definition));
}

std::shared_ptr<const System> System::second_order(const std::vector<Index>& surfaces) const {
  if (any_contact_may_move(*definition_, surfaces)) return nullptr;
  std::shared_ptr<const System> made =
      definition_->second_order ? definition_->second_order(surfaces) : second_order_system(*this, surfaces);
  if (!made || !made->contacts().empty() || contacts().empty()) return made;
  return std::make_shared<const System>(made->with_contacts(contacts()));
}

Index System::state_index(const std::string& name) const {
  return index_of(name, state_names(), "state", place(*definition_));
}

Index System::surface_index(const std::string& name) const {
  return index_of(name, surface_names(), "surface", place(*definition_));
}

}  // namespace slideway
