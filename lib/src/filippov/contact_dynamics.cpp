// ContactDynamics of the closed contacts: which they are, their forces, how gaps move under them and what a gap or its
// velocity cannot be told from zero by.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/rounding.hpp"
#include "core/state_errors.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"
#include "model/finite_difference.hpp"

namespace slideway {

namespace {

// The part of a change by the tolerances that no impact is worth.
constexpr double kCarriedError = 1e-4;

}  // namespace

ContactDynamics::ContactDynamics(const System& system) : definition_(system.contacts()), evaluator_(system) {
  const Index n = system.states();
  for (Vector* vector : {&buffers_.field, &buffers_.along, &buffers_.acceleration, &buffers_.value,
                         &buffers_.unit, &buffers_.impulse, &buffers_.friction_unit})
    *vector = Vector::Zero(n);
  far_.typical_sizes = Vector::Ones(n);
  buffers_.all_forces = buffers_.all_friction = buffers_.second_friction = Vector::Zero(contacts());
  const auto learn_shape = [&](const Guard& function) {
    Gap& gap = gaps_of_.emplace_back();
    if (auto shape = function.shape(n)) {
      gap.states = std::move(shape->states);
      gap.is_known = true;
      gap.is_affine = shape->affine;
    } else {
      gap.states.resize(at(n));
      std::iota(gap.states.begin(), gap.states.end(), Index{0});
    }
    gap.slopes.states = gap.states;
    gap.slopes.values.resize(gap.states.size());
  };
  for (const Contact& contact : definition_) {
    learn_shape(contact.gap);
    if (contact.cone) cones_.push_back(static_cast<Index>(acted_on_.size()));
    std::vector<Index>& states =
        acted_on_.emplace_back(contact.acts_on_states.value_or(std::vector<Index>()));
    if (contact.friction && contact.friction->acts_on_states)
      states.insert(states.end(), contact.friction->acts_on_states->begin(),
                    contact.friction->acts_on_states->end());
    if (contact.cone && contact.cone->acts_on_states)
      states.insert(states.end(), contact.cone->acts_on_states->begin(), contact.cone->acts_on_states->end());
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
  }
  for (const Contact& contact : definition_) {
    for (std::size_t k = 0; !cones_.empty() && k < 2; ++k) {
      if (contact.cone)
        learn_shape(contact.cone->velocities[k]);
      else
        gaps_of_.emplace_back();
    }
  }
  if (const auto& pattern = system.definition().field_dx_pattern) reached_by_ = transposed(*pattern);
}

bool ContactDynamics::closed_are_affine(const ContactModes& modes) const {
  return std::all_of(modes.closed.begin(), modes.closed.end(),
                     [this](Index c) { return gaps_of_[at(c)].is_affine; });
}

Mode ContactDynamics::with_closed(const Mode& surfaces, const ContactModes& modes) const {
  const auto cones = static_cast<Index>(cones_.size());
  Mode full(surfaces.size() + contacts() + cones);
  for (Index i = 0; i < surfaces.size(); ++i) full.set(i, surfaces[i]);
  for (const Index c : modes.closed) full.set(surfaces.size() + c, Side::sliding);
  for (Index k = 0; k < cones; ++k) {
    const Index c = cones_[at(k)];
    if (modes.sticks(c) && full.slides_on(surfaces.size() + c))
      full.set(surfaces.size() + contacts() + k, Side::sliding);
  }
  return full;
}

ContactModes ContactDynamics::modes_in(const Mode& word, Index surfaces) const {
  ContactModes modes(definition_);
  for (Index c = 0; c < contacts() && surfaces + c < word.size(); ++c) {
    if (word.slides_on(surfaces + c)) modes.closed.push_back(c);
  }
  for (std::size_t k = 0; k < cones_.size(); ++k) {
    const Index place = surfaces + contacts() + static_cast<Index>(k);
    modes.friction(cones_[k]).sticks = place < word.size() && word.slides_on(place);
  }
  return modes;
}

double ContactDynamics::limited_rate(double rate, double t, ConstVectorRef x, ConstVectorRef lambda,
                                     const ContactModes& modes, ConstVectorRef weights) const {
  prepare(t, x, lambda, modes, modes.closed);
  for (std::size_t r = 0; r < modes.closed.size(); ++r) {
    // A unit of the gap's velocity is b/B of the state.
    double unit = 0;
    for (std::size_t k = 0; k < at_hand_.directions[r].states.size(); ++k) {
      unit = std::max(unit,
                      std::abs(at_hand_.directions[r].values[k] * weights[at_hand_.directions[r].states[k]]));
    }
    unit /= effect(static_cast<Index>(r), static_cast<Index>(r));
    rate = std::min(rate, 1 / (unit * tolerance(t, x, modes.closed[r], weights)));
  }
  return rate;
}

std::string ContactDynamics::names(const std::vector<Index>& rows) const {
  std::string text;
  for (const Index i : rows) {
    if (is_tangential(i)) continue;
    if (text.size() > 200) return text + ", …";
    text += (text.empty() ? "'" : ", '") + contact(i).name + "'";
  }
  return text;
}

const ContactModes& ContactDynamics::solve_for_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                      const ContactModes& modes, double stabilisation,
                                                      const std::vector<Index>& contacts) const {
  const ContactModes& there = prepare(t, x, lambda, modes, contacts);
  at_hand_.right_side = -at_hand_.accelerations;
  if (stabilisation > 0) {
    for (std::size_t r = 0; r < contacts.size(); ++r) {
      const auto row = static_cast<Index>(r);
      at_hand_.right_side[row] -=
          stabilisation * (2 * at_hand_.rates[row] + stabilisation * gap(t, x, contacts[r]));
    }
    const auto tangential = at_hand_.rates.size() - static_cast<Index>(contacts.size());
    at_hand_.right_side.tail(tangential) -= stabilisation * at_hand_.rates.tail(tangential);
  }
  solve();
  return there;
}

// The correction that draws the state back onto the constraint is no force of the contact: it would release the contact.
ContactDynamics::Forces ContactDynamics::forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                const ContactModes& modes) const {
  const auto found_in = [this](const ContactModes& there) {
    return Forces{buffers_.all_forces, buffers_.all_friction, buffers_.second_friction, there};
  };
  buffers_.all_forces.setZero();
  if (!cones_.empty()) {
    buffers_.all_friction.setZero();
    buffers_.second_friction.setZero();
  }
  if (modes.closed.empty()) return found_in(modes);
  if (has_friction(modes.closed)) return found_in(blend_forces(t, x, lambda, modes));
  const ContactModes& there = solve_for_forces(t, x, lambda, modes, 0, modes.closed);
  buffers_.all_forces(modes.closed) = at_hand_.solution.head(static_cast<Index>(modes.closed.size()));
  take_cone_forces(t, x, there, 1);
  return found_in(there);
}

void ContactDynamics::add_forces(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                                 const ForceTerms& terms, VectorRef dx) const {
  const std::vector<Index>& free = terms.far ? split(modes).local_closed : modes.closed;
  if (!free.empty()) {
    solve_for_forces(t, x, lambda, modes, terms.rate, free);
    add_impulses(at_hand_.solution, dx);
  }
  if (!terms.far) return;
  const std::vector<Index>& far = split(modes).closed;
  take_directions(t, x, lambda, beginning_at(t, x, lambda, modes, far), far, buffers_.far_directions);
  for (std::size_t r = 0; r < far.size(); ++r)
    buffers_.far_directions[r].add_to(dx, (*terms.far)[static_cast<Index>(r)]);
}

double ContactDynamics::rate(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) const {
  evaluator_.field(t, x, lambda, buffers_.field);
  return gap_rate(t, x, i, buffers_.field);
}

double ContactDynamics::acceleration(double t, ConstVectorRef x, ConstVectorRef lambda,
                                     const ContactModes& modes, Index i) const {
  buffers_.impulse.setZero();
  if (!modes.closed.empty()) {
    solve_for_forces(t, x, lambda, modes, 0, modes.closed);
    add_impulses(at_hand_.solution, buffers_.impulse);
  }
  evaluator_.field(t, x, lambda, buffers_.field);
  evaluator_.field_along(t, x, lambda, 1, buffers_.field, buffers_.value, buffers_.acceleration);
  double result = gap_mixed(t, x, i, 1, buffers_.field, buffers_.acceleration);
  if (!modes.closed.empty()) {
    evaluator_.field_along(t, x, lambda, 0, buffers_.impulse, buffers_.value, buffers_.along);
    result += gap_mixed(t, x, i, 0, buffers_.impulse, buffers_.along);
  }
  return result;
}

double ContactDynamics::rounding(double t, ConstVectorRef x, Index i) const {
  const Sparse& gradient = slopes(t, x, i);
  double size = std::abs(gaps_of_[at(i)].by_time * t);
  for (std::size_t k = 0; k < gradient.states.size(); ++k) {
    size += std::abs(gradient.values[k]) * std::abs(x[gradient.states[k]]);
  }
  return rounding_of(size, contact(i).gap.running_error(t, x));
}

double ContactDynamics::tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights) const {
  const Sparse& gradient = slopes(t, x, i);
  double sum = 0;
  for (std::size_t k = 0; k < gradient.states.size(); ++k) {
    if (is_unknown(evaluator_, gradient.states[k]))
      sum += std::abs(gradient.values[k]) / weights[gradient.states[k]];
  }
  return sum;
}

double ContactDynamics::rate_rounding(double t, ConstVectorRef x, ConstVectorRef lambda, Index i,
                                      ConstVectorRef weights, double noise) const {
  buffers_.value = x;
  add_errors(weights, buffers_.value);
  evaluator_.field(t, buffers_.value, lambda, buffers_.along);
  evaluator_.field(t, x, lambda, buffers_.field);
  const Sparse& gradient = slopes(t, x, i);
  // Entry by entry: equal errors of two bodies must not cancel.
  double carried = 0;
  double size = std::abs(gaps_of_[at(i)].by_time);
  for (std::size_t k = 0; k < gradient.states.size(); ++k) {
    const Index state = gradient.states[k];
    carried += kCarriedError * std::abs(gradient.values[k]) *
               std::abs(buffers_.along[state] - buffers_.field[state]);
    size += std::abs(gradient.values[k]) * std::abs(buffers_.field[state]);
  }
  return 64 * kEpsilon * size + noise + (std::isfinite(carried) ? carried : 0.0);
}

}  // namespace slideway
