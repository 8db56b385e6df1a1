#include "filippov/contact_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <numeric>

#include "core/at.hpp"
#include "core/joined.hpp"
#include "slideway/detail/model/trace_patterns.hpp"

namespace slideway {

namespace {

// Contacts are local in groups of at most so many, whose part fills at most so many entries.
constexpr Index kLargestContactGroup = 8;
constexpr std::size_t kMostContactEntries = 512;
// A gap or a direction of force that sees more states than this is taken to see them all.
constexpr Index kMostTried = 64;

using States = std::vector<Index>;

void sort_and_merge(States& states) {
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
}

void add(States& to, const States& more) { to.insert(to.end(), more.begin(), more.end()); }

// general_numbers() returns at least `count` numbers in general position; they belong to the thread.
const std::vector<double>& general_numbers(Index count) {
  thread_local std::vector<double> numbers;
  for (Index j = static_cast<Index>(numbers.size()); j < count; ++j) numbers.push_back(trace_value(j));
  return numbers;
}

Vector general_position(Index states) {
  return Eigen::Map<const Vector>(general_numbers(states).data(), states);
}

Vector direction_of(const Contact& contact, const Vector& x) {
  Vector b = Vector::Zero(x.size());
  contact.acts_on(0.7, x, b);
  for (std::size_t k = 0; contact.cone && k < 2; ++k) {
    Vector c = Vector::Zero(x.size());
    contact.cone->acts_on[k](0.7, x, c);
    const double slip =
        std::hypot(contact.cone->velocities[0].value(0.7, x), contact.cone->velocities[1].value(0.7, x));
    b -= contact.cone->coefficient(0.7, x) * (contact.cone->velocities[k].value(0.7, x) / slip) * c;
  }
  if (!contact.friction) return b;
  // A part of the friction that neither cancels the rest nor vanishes.
  Vector c = Vector::Zero(x.size());
  contact.friction->acts_on(0.7, x, c);
  constexpr double part = 0.618;
  return b + part * contact.friction->coefficient(0.7, x) * c;
}

States states_of_gap(const Contact& contact, Index states) {
  if (const auto shape = contact.gap.shape(states)) return shape->states;
  return tried_states(states, kMostTried,
                      [&](const Vector& x) { return Vector::Constant(1, contact.gap.value(0.7, x)); });
}

States states_acted_on(const Contact& contact, Index states) {
  if (contact.acts_on_states && (!contact.friction || contact.friction->acts_on_states) &&
      (!contact.cone || contact.cone->acts_on_states)) {
    States rows = *contact.acts_on_states;
    if (contact.cone) add(rows, *contact.cone->acts_on_states);
    if (contact.friction) add(rows, *contact.friction->acts_on_states);
    sort_and_merge(rows);
    return rows;
  }
  States rows;
  try {
    const Vector b = direction_of(contact, general_position(states));
    for (Index i = 0; i < states; ++i) {
      if (b[i] != 0) rows.push_back(i);
    }
  } catch (const std::exception&) {
    rows.clear();
  }
  return rows;
}

// A Group holds contacts whose forces share rows, and the states on which these depend.
struct Group {
  std::vector<Index> members = {};
  States rows = {}, columns = {}, relays = {};
};

class Maker {
 public:
  explicit Maker(const System& system)
      : definition_(system.definition()), contacts_(system.contacts()), states_(system.states()) {
    for (const Contact& contact : contacts_) {
      gaps_.push_back(states_of_gap(contact, states_));
      rows_.push_back(states_acted_on(contact, states_));
      directions_.push_back(tried_states(states_, kMostTried, [&](const Vector& x) {
        const Vector b = direction_of(contact, x);
        return Vector(b(rows_.back()));
      }));
      // Rows that are full would cost more than they tell.
      if (static_cast<Index>(directions_.back().size()) > kMostTried) directions_.back().clear();
    }
  }

  ContactPatterns make() {
    const Pattern& field = *definition_.field_dx_pattern;
    ContactPatterns made;
    made.is_far.assign(contacts_.size(), 0);
    std::vector<States> by_state = rows_of(field);
    std::vector<States> by_relay(at(states_));
    if (definition_.surfaces > 0) by_relay = rows_of(*definition_.field_dlambda_pattern);
    std::vector<States> velocities;  // the states that the gap's velocity depends on
    for (const States& gap : gaps_) {
      velocities.push_back(columns_of(field, gap));
      add(velocities.back(), gap);
      sort_and_merge(velocities.back());
      made.watched.push_back(columns_of(field, velocities.back()));
      add(made.watched.back(), velocities.back());
      sort_and_merge(made.watched.back());
    }
    for (Group& group : groups()) {
      for (const Index c : group.members) {
        add(group.rows, rows_[at(c)]);
        add(group.columns, made.watched[at(c)]);
        add(group.columns, directions_[at(c)]);
        if (definition_.surfaces > 0)
          add(group.relays, columns_of(*definition_.field_dlambda_pattern, velocities[at(c)]));
      }
      bool has_friction = false;
      for (const Index c : group.members) {
        if (contacts_[at(c)].cone) {
          // The forces of a contact that sticks depend on whatever the velocities of slip do.
          has_friction = true;
          group.columns.resize(at(states_));
          std::iota(group.columns.begin(), group.columns.end(), Index{0});
        }
        if (!contacts_[at(c)].friction) continue;
        has_friction = true;
        group.relays.push_back(contacts_[at(c)].friction->surface);
      }
      for (States* states : {&group.rows, &group.columns, &group.relays}) sort_and_merge(*states);
      // The Jacobian has no place for friction of far contacts.
      const bool is_local =
          has_friction || (static_cast<Index>(group.members.size()) <= kLargestContactGroup &&
                           group.rows.size() * group.columns.size() <= kMostContactEntries);
      for (const Index c : group.members) {
        made.is_far[at(c)] = !is_local;
        for (const Index row : rows_[at(c)]) add(by_state[at(row)], directions_[at(c)]);
        // A far contact also depends on the directions of its group's forces.
        add(made.watched[at(c)], is_local ? States() : group_directions(group));
        sort_and_merge(made.watched[at(c)]);
      }
      for (const Index row : group.rows) {
        if (is_local) add(by_state[at(row)], group.columns);
        add(by_relay[at(row)], group.relays);
      }
    }
    made.field_dx = pattern_from_rows(states_, std::move(by_state));
    made.field_dlambda = pattern_from_rows(definition_.surfaces, std::move(by_relay));
    return made;
  }

 private:
  static std::vector<States> rows_of(const Pattern& pattern) {
    std::vector<States> rows;
    for (std::size_t i = 0; i + 1 < pattern.start.size(); ++i) {
      rows.emplace_back(pattern.column.begin() + pattern.start[i],
                        pattern.column.begin() + pattern.start[i + 1]);
    }
    return rows;
  }

  States group_directions(const Group& group) const {
    States result;
    for (const Index c : group.members) add(result, directions_[at(c)]);
    return result;
  }

  // Contacts of which one's force changes the other's gap acceleration.
  std::vector<Group> groups() const {
    const Pattern reached_by = transposed(*definition_.field_dx_pattern);
    std::vector<std::vector<Index>> seen_by(at(states_));
    for (std::size_t c = 0; c < gaps_.size(); ++c) {
      for (const Index state : gaps_[c]) seen_by[at(state)].push_back(static_cast<Index>(c));
    }
    Joined joined(contacts_.size());
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      States reached = columns_of(reached_by, rows_[c]);
      add(reached, rows_[c]);
      for (const Index state : reached) {
        for (const Index other : seen_by[at(state)]) joined.join(other, static_cast<Index>(c));
      }
    }
    std::vector<Group> result;
    for (std::vector<Index>& members : joined.groups()) result.emplace_back().members = std::move(members);
    return result;
  }

  const SystemDefinition& definition_;
  const std::vector<Contact>& contacts_;
  Index states_;
  std::vector<States> gaps_, rows_,
      directions_;  // of each contact: G, the states b enters, those it depends on
};

}  // namespace

std::vector<Index> tried_states(Index states, Index most,
                                const std::function<Vector(const Vector& x)>& values) {
  States found;
  try {
    const std::vector<double>& numbers = general_numbers(states + 1);
    Vector x = general_position(states);
    const Vector reference = values(x);
    std::vector<std::pair<Index, Index>> ranges = {{0, states}};
    while (!ranges.empty()) {
      const auto [first, last] = ranges.back();
      ranges.pop_back();
      for (Index j = first; j < last; ++j) x[j] += 0.1 * numbers[at(j + 1)];
      const Vector changed = values(x);
      for (Index j = first; j < last; ++j) x[j] = numbers[at(j)];
      // NaN counts as a change.
      if ((changed.array() == reference.array()).all()) continue;
      if (last - first == 1) {
        found.push_back(first);
        if (static_cast<Index>(found.size()) > most) break;
        continue;
      }
      const Index middle = first + (last - first) / 2;
      ranges.emplace_back(middle, last);
      ranges.emplace_back(first, middle);
    }
    if (static_cast<Index>(found.size()) <= most) return found;
  } catch (const std::exception&) {
    // The pattern is unknown.
  }
  found.resize(at(states));
  std::iota(found.begin(), found.end(), Index{0});
  return found;
}

std::optional<ContactPatterns> contact_patterns(const System& system) {
  const SystemDefinition& definition = system.definition();
  if (!definition.field_dx_pattern) return std::nullopt;
  if (definition.surfaces > 0 && (!definition.field_dlambda_pattern || !definition.guards_dx_pattern))
    return std::nullopt;
  return Maker(system).make();
}

}  // namespace slideway
