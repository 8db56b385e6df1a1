// ContactDynamics at one point: which forces a gap can feel, and b, u, a and B of the contacts at hand.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/number_text.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"

namespace slideway {

namespace {

template <class Visit>
void for_rows_of(const Seen& seen, Index state, const Visit& visit) {
  for (auto pair = std::lower_bound(seen.begin(), seen.end(), std::pair<Index, Index>(state, 0));
       pair != seen.end() && pair->first == state; ++pair) {
    visit(pair->second);
  }
}

}  // namespace

// b of these contacts; true where it enters states that it has not entered before.
bool ContactDynamics::names_states(const Contact& contact) {
  return contact.acts_on_states && (!contact.friction || contact.friction->acts_on_states) &&
         (!contact.cone || contact.cone->acts_on_states);
}

bool ContactDynamics::take_directions(double t, ConstVectorRef x, ConstVectorRef lambda,
                                      const ContactModes& modes, const std::vector<Index>& contacts,
                                      std::vector<Sparse>& columns) const {
  columns.resize(contacts.size());
  buffers_.unit.setZero();
  bool is_new = false;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    const Index owner = owner_of(contacts[r]);
    const Contact& c = contact(owner);
    std::vector<Index>& known = acted_on_[at(owner)];
    Sparse& column = columns[r];
    add_direction(t, x, lambda, modes, contacts[r], buffers_.unit);
    const auto take_known = [&] {
      column.states = known;
      column.values.resize(known.size());
      for (std::size_t k = 0; k < known.size(); ++k)
        column.values[k] = std::exchange(buffers_.unit[known[k]], 0.0);
    };
    take_known();
    if (names_states(c) || buffers_.unit.lpNorm<1>() == 0) continue;
    is_new = true;
    buffers_.unit.setZero();
    add_direction(t, x, lambda, modes, contacts[r], buffers_.unit);
    for (Index state = 0; state < x.size(); ++state) {
      if (buffers_.unit[state] != 0) known.push_back(state);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    take_known();
  }
  if (buffers_.unit.lpNorm<1>() != 0) refuse_unnamed_states(t, x, lambda, modes, contacts);
  return is_new;
}

// One of them enters a state that it does not name.
void ContactDynamics::refuse_unnamed_states(double t, ConstVectorRef x, ConstVectorRef lambda,
                                            const ContactModes& modes,
                                            const std::vector<Index>& contacts) const {
  for (const Index row : contacts) {
    const Index index = owner_of(row);
    const Contact& c = contact(index);
    if (!names_states(c)) continue;
    buffers_.unit.setZero();
    add_direction(t, x, lambda, modes, row, buffers_.unit);
    for (const Index state : acted_on_[at(index)]) buffers_.unit[state] = 0;
    for (Index state = 0; state < x.size(); ++state) {
      if (buffers_.unit[state] == 0) continue;
      throw std::runtime_error("the force of contact '" + c.name + "' enters state '" +
                               evaluator_.system().state_names()[at(state)] +
                               "' at t = " + std::to_string(t) + ", which its acts_on_states do not name");
    }
  }
}

// ∇g, valid until the next call for the same contact.
const ContactDynamics::Sparse& ContactDynamics::slopes(double t, ConstVectorRef x, Index index) const {
  Gap& gap = gaps_of_[at(index)];
  if (gap.has_slopes) return gap.slopes;
  const Guard& function = function_of(index);
  function.slopes(t, x, gap.states, gap.slopes.values);
  gap.by_time = function.slope_in_time(t, x, gap.states);
  gap.has_slopes = gap.is_affine;
  return gap.slopes;
}

double ContactDynamics::gap_rate(double t, ConstVectorRef x, Index index, ConstVectorRef dx) const {
  const Gap& gap = gaps_of_[at(index)];
  if (!gap.is_affine) return function_of(index).rate(t, x, 1, dx, &gap.states);
  const double along = slopes(t, x, index).dot(dx);
  return gap.by_time + along;
}

// The mixed second derivative along the field and (t_dot, along).
double ContactDynamics::gap_mixed(double t, ConstVectorRef x, Index index, double t_dot, ConstVectorRef along,
                                  ConstVectorRef mixed) const {
  const Gap& gap = gaps_of_[at(index)];
  if (gap.is_affine) return slopes(t, x, index).dot(mixed);
  return function_of(index).mixed(t, x, 1, buffers_.field, t_dot, along, mixed, &gap.states);
}

// learn() finds which forces these gaps see.
void ContactDynamics::learn(const std::vector<Index>& contacts) const {
  const std::size_t k = contacts.size();
  const bool knows_field = reached_by_.rows > 0;
  Seen seen;
  std::vector<Index> blind;  // rows of gaps that may see everything
  for (std::size_t r = 0; r < k; ++r) {
    const Gap& gap = gaps_of_[at(contacts[r])];
    if (!gap.is_known || !knows_field) {
      blind.push_back(static_cast<Index>(r));
    } else {
      for (const Index state : gap.states) seen.emplace_back(state, static_cast<Index>(r));
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::vector<Index>> rows(k);
  Joined joined(k);
  for (std::size_t j = 0; j < k; ++j) {
    const auto column = static_cast<Index>(j);
    const auto see = [&](Index row) {
      rows[at(row)].push_back(column);
      joined.join(row, column);
    };
    see(column);
    for (const Index row : blind) see(row);
    if (seen.empty()) continue;
    for (const Index state : acted_on_[at(owner_of(contacts[j]))]) {
      for_rows_of(seen, state, see);
      for (Index e = reached_by_.start[at(state)]; e < reached_by_.start[at(state + 1)]; ++e) {
        for_rows_of(seen, reached_by_.column[at(e)], see);
      }
    }
  }
  at_hand_.coupling = pattern_from_rows(static_cast<Index>(k), std::move(rows));
  at_hand_.coupling_columns = CompressedColumns(at_hand_.coupling);
  at_hand_.groups = joined.groups();
  at_hand_.effects.setZero(at_hand_.coupling.entries());
  at_hand_.contacts = contacts;
  at_hand_.are_known = true;
  at_hand_.directions.resize(k);
  for (Vector* vector :
       {&at_hand_.rates, &at_hand_.accelerations, &at_hand_.right_side, &at_hand_.solution}) {
    vector->resize(static_cast<Index>(k));
  }
}

const ContactModes& ContactDynamics::prepare(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const ContactModes& modes,
                                             const std::vector<Index>& contacts) const {
  const ContactModes& there = beginning_at(t, x, lambda, modes, contacts);
  // Where slip begins the field has been asked for at this point.
  prepare_as(t, x, lambda, there, contacts, &there != &modes);
  return there;
}

void ContactDynamics::prepare_as(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                                 const std::vector<Index>& of_contacts, bool is_field_known) const {
  ++preparations_;
  const std::vector<Index>& contacts = rows_of(modes, of_contacts);
  if (!at_hand_.are_known || at_hand_.contacts != contacts) learn(contacts);
  if (!is_field_known) {
    evaluator_.field(t, x, lambda, buffers_.field);
    evaluator_.field_along(t, x, lambda, 1, buffers_.field, buffers_.value, buffers_.acceleration);
  }
  const bool is_new = take_directions(t, x, lambda, modes, contacts, at_hand_.directions);
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    double& rate = at_hand_.rates[static_cast<Index>(r)];
    double& acceleration = at_hand_.accelerations[static_cast<Index>(r)];
    if (is_tangential(contacts[r])) {
      rate = function_of(contacts[r]).value(t, x);
      acceleration = gap_rate(t, x, contacts[r], buffers_.field);
    } else {
      rate = gap_rate(t, x, contacts[r], buffers_.field);
      acceleration = gap_mixed(t, x, contacts[r], 1, buffers_.field, buffers_.acceleration);
    }
  }
  if (is_new) {
    const Vector rates = at_hand_.rates, accelerations = at_hand_.accelerations;
    learn(std::vector<Index>(contacts));
    at_hand_.rates = rates;
    at_hand_.accelerations = accelerations;
  }
  buffers_.unit.setZero();
  for (Index colour = 0; colour < at_hand_.coupling_columns.colours(); ++colour) {
    at_hand_.coupling_columns.for_columns(
        colour, [&](Index j) { at_hand_.directions[at(j)].add_to(buffers_.unit, 1); });
    evaluator_.field_along(t, x, lambda, 0, buffers_.unit, buffers_.value, buffers_.along);
    at_hand_.coupling_columns.for_entries(colour, [&](Index entry, Index i, Index) {
      const Index row = contacts[at(i)];
      at_hand_.effects[entry] = is_tangential(row) ? slopes(t, x, row).dot(buffers_.unit)
                                                   : gap_mixed(t, x, row, 0, buffers_.unit, buffers_.along);
    });
    at_hand_.coupling_columns.for_columns(colour, [&](Index j) {
      for (const Index state : at_hand_.directions[at(j)].states) buffers_.unit[state] = 0;
    });
  }
  for (Index j = 0; j < static_cast<Index>(contacts.size()); ++j) {
    if (!(effect(j, j) > 0)) refuse_direction(t, x, lambda, j);
  }
}

void ContactDynamics::refuse_direction(double t, ConstVectorRef x, ConstVectorRef lambda, Index row) const {
  if (is_tangential(at_hand_.contacts[at(row)])) refuse_tangential(t, row);
  const Contact& c = contact(at_hand_.contacts[at(row)]);
  const std::string number = number_text(effect(row, row));
  if (c.friction || c.cone) {
    Vector without = lambda;
    if (c.friction) without[c.friction->surface] = 0;
    const Contact& same = c;
    Vector b = Vector::Zero(x.size());
    same.acts_on(t, x, b);
    evaluator_.field(t, x, without, buffers_.field);
    evaluator_.field_along(t, x, without, 0, b, buffers_.value, buffers_.along);
    const double normal = gap_mixed(t, x, at_hand_.contacts[at(row)], 0, b, buffers_.along);
    if (normal > 0) {
      throw std::runtime_error(
          "a Painlevé situation at contact '" + c.name + "' at t = " + number_text(t) +
          ": while it slips, its friction presses the bodies together as much as its force lifts them or "
          "more "
          "(a unit force changes the gap's acceleration by " +
          number_text(normal) + " alone and by " + number +
          " with friction), so that no finite force need keep the gap closed; a rigid body model has no "
          "continuation, or several, here: give the contact a stiffness, or a smaller friction");
    }
  }
  throw std::runtime_error(
      "the force of contact '" + c.name + "' does not open its gap: a unit force changes the " +
      "gap's acceleration by " + number + ", expected more than 0, at t = " + number_text(t) +
      "; check acts_on: it is added to the derivatives of velocities, not of positions; a gap is a "
      "position, and what a flow fills or a voltage drives, as a level or the current of a diode, "
      "takes a location or an if instead");
}

}  // namespace slideway
