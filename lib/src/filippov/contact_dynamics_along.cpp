// Derivatives of the forces of closed contacts along a direction, by implicit differentiation of the equations that determine them.
//
//     r(t, x, λ, Λ) = a + BΛ + 2αu + α²gap = 0,   so that   BΛ' = −r' with Λ held   and   (bΛ)' = b'Λ + bΛ'
//     a + BΛ = ∂u/∂t + ∂u/∂x·F,   u = ∂gap/∂t + ∂gap/∂x·f,   F = f + bΛ
//
// Rows of contacts that stick have r = ∂v/∂t + ∂v/∂x·F + αv. The direction of slip n = ±v/|v| turns by (1 − nnᵀ)(±v')/|v|, which grows
// without bounds near v = 0: differences tell nothing of it there. Slip that begins has m = −Q/|Q| with the friction Q that would hold, and
// Q' from the equations of sticking.
//
// r' is made of second derivatives of f and third ones of gap. Where the system and the gap do not tell them, they are differences of exact
// lower ones. Where a gap has no exact derivatives at all, the forces are differentiated as a whole.
#include <algorithm>
#include <cmath>
#include <utility>

#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"
#include "model/finite_difference.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// Differences by relays, of which forces are linear or nearly so.
constexpr double kStepOfAllRelays = 0x1p-10;

bool is_exact(const Contact& contact) {
  return contact.gap.has_exact_derivatives() &&
         (!contact.cone || (contact.cone->velocities[0].has_exact_derivatives() &&
                            contact.cone->velocities[1].has_exact_derivatives()));
}

bool tells_directions(const Contact& contact) {
  return contact.acts_on_along &&
         (!contact.friction || (contact.friction->acts_on_along && contact.friction->coefficient_along)) &&
         (!contact.cone || (contact.cone->acts_on_along[0] && contact.cone->acts_on_along[1] &&
                            contact.cone->coefficient_along));
}

}  // namespace

bool ContactDynamics::differentiates_implicitly(const std::vector<Index>& of) const {
  return evaluator_.system().definition().field_along &&
         std::all_of(of.begin(), of.end(), [this](Index c) { return is_exact(contact(c)); });
}

bool ContactDynamics::has_exact_derivatives(const ContactModes& modes) const {
  return evaluator_.system().definition().field_mixed &&
         std::all_of(modes.closed.begin(), modes.closed.end(), [this](Index c) {
           return is_exact(contact(c)) && gaps_of_[at(c)].is_affine && tells_directions(contact(c));
         });
}

ContactDynamics::Motion ContactDynamics::motion_along(double t, ConstVectorRef x, double t_dot,
                                                      ConstVectorRef x_dot, ConstVectorRef lambda_dot) const {
  double step = evaluator_.direction_step(t, x, t_dot, x_dot);
  const double relays = lambda_dot.size() > 0 ? lambda_dot.lpNorm<Eigen::Infinity>() : 0.0;
  if (relays > 0) step = std::min(step, kStepOfAllRelays / relays);
  along_.above = x + step * x_dot;
  along_.below = x - step * x_dot;
  return {.t = t_dot, .x = x_dot, .lambda = lambda_dot, .step = step};
}

void ContactDynamics::add_forces_along(double t, ConstVectorRef x, ConstVectorRef lambda,
                                       const ContactModes& modes, const ForceTerms& terms, double t_dot,
                                       ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx,
                                       VectorRef dx_dot) const {
  if (modes.closed.empty()) return;
  const Motion motion = motion_along(t, x, t_dot, x_dot, lambda_dot);
  if (!differentiates_implicitly(modes.closed)) {
    add_forces(t, x, lambda, modes, terms, dx);
    add_forces_nearby(t, x, lambda, modes, terms, motion, dx_dot);
    return;
  }
  along_.change.setZero(x.size());
  const std::vector<Index>& free = terms.far ? split(modes).local_closed : modes.closed;
  if (!free.empty()) {
    const bool any_begins = !cones_.empty() && std::any_of(free.begin(), free.end(), [&](Index c) {
      return modes.friction(c).begins_to_slip();
    });
    const bool is_known = along_.is_known && !any_begins && along_.preparation == preparations_ &&
                          along_.t == t && along_.stabilisation == terms.rate && along_.x == x &&
                          along_.lambda == lambda && along_.frictions == modes.frictions &&
                          at_hand_.contacts == rows_of(modes, free);
    if (!cones_.empty()) {
      along_.turns.assign(definition_.size(), Eigen::Vector2d::Zero());
      find_turns(t, x, modes, motion, free);
      if (any_begins) {
        add_turns_of_slip(t, x, find_turns_of_begins(t, x, lambda, modes, motion, free), motion, free);
      }
    }
    const ContactModes* there = &modes;
    if (!is_known) {
      there = &solve_for_forces(t, x, lambda, modes, terms.rate, free);
      take_along(t, x, lambda, modes, Vector(at_hand_.solution), terms.rate);
    }
    add_impulses(along_.forces, dx);
    residual_rates(t, x, lambda, *there, motion, along_.residual_rates);
    along_.change += along_.directions_rate;
    add_impulses(forces_rate(along_.residual_rates), along_.change);
  }
  if (terms.far) {
    const std::vector<Index>& far = split(modes).closed;
    const ContactModes& there = beginning_at(t, x, lambda, modes, far);
    take_directions(t, x, lambda, there, far, buffers_.far_directions);
    buffers_.unit.setZero();
    for (std::size_t r = 0; r < far.size(); ++r) {
      const double force = (*terms.far)[static_cast<Index>(r)];
      buffers_.far_directions[r].add_to(dx, force);
      add_direction_rate(t, x, lambda, there, motion, far[r], force, along_.change);
    }
  }
  if (all_finite(along_.change))
    dx_dot += along_.change;
  else
    add_forces_nearby(t, x, lambda, modes, terms, motion, dx_dot);
}

// The forces as a whole, by differences.
void ContactDynamics::add_forces_nearby(double t, ConstVectorRef x, ConstVectorRef lambda,
                                        const ContactModes& modes, const ForceTerms& terms,
                                        const Motion& motion, VectorRef dx_dot) const {
  const auto forces_at = [&](double s, VectorRef forces) {
    const Vector there = x + s * motion.x;
    const Vector relays_there = lambda + s * motion.lambda;
    forces.setZero();
    add_forces(t + s * motion.t, there, relays_there, modes, terms, forces);
  };
  Vector change(x.size());
  difference(forces_at, motion.step, DifferenceSide::both, change);
  dx_dot += change;
}

// Keeps what every direction at this point needs; the rows are at hand.
void ContactDynamics::take_along(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                                 const Vector& forces, double stabilisation) const {
  Along& along = along_;
  along.is_known = true;
  along.preparation = preparations_;
  along.frictions = modes.frictions;
  along.t = t;
  along.stabilisation = stabilisation;
  along.x = x;
  along.lambda = lambda;
  along.forces = forces;
  const Index n = x.size();
  for (Vector* vector : {&along.value, &along.field_rate, &along.acceleration, &along.acceleration_rate,
                         &along.scratch, &along.directions_rate, &along.total_rate})
    vector->resize(n);
  along.field = buffers_.field;
  along.total = along.field;
  add_impulses(forces, along.total);
  evaluator_.field_along(t, x, lambda, 1, along.total, along.value, along.acceleration);
}

void ContactDynamics::find_turns(double t, ConstVectorRef x, const ContactModes& modes, const Motion& motion,
                                 const std::vector<Index>& of) const {
  for (const Index c : of) {
    const PlaneFriction& friction = modes.friction(c);
    if (!contact(c).cone || friction.sticks || friction.begins) continue;
    const Eigen::Vector2d slip = slip_of(t, x, c);
    const double speed = slip.norm();
    if (!(speed > friction.rounding)) continue;
    const Eigen::Vector2d change = slip_rate(t, x, motion, c);
    const Eigen::Vector2d across(-slip[1] / speed, slip[0] / speed);
    // n and −n turn the same way round.
    const double sign = slip.dot(friction.direction) < 0 ? -1 : 1;
    along_.turns[at(c)] = sign * across.dot(change) / speed * across;
  }
}

Eigen::Vector2d ContactDynamics::slip_rate(double t, ConstVectorRef x, const Motion& motion, Index i) const {
  Eigen::Vector2d change;
  for (Index k = 0; k < 2; ++k) {
    const Index row = contacts() + 2 * i + k;
    change[k] = function_of(row).rate(t, x, motion.t, motion.x, &gaps_of_[at(row)].states);
  }
  return change;
}

// The turns of n where slip begins, from those of m.
void ContactDynamics::add_turns_of_slip(double t, ConstVectorRef x, const ContactModes& modes,
                                        const Motion& motion, const std::vector<Index>& of) const {
  for (const Index c : of) {
    const PlaneFriction& friction = modes.friction(c);
    if (!friction.begins || friction.sticks || !(friction.reach > 0)) continue;
    const Eigen::Vector2d near = slip_of(t, x, c) + friction.reach * friction.direction;
    const double size = near.norm();
    if (!(size > 0)) continue;
    const Eigen::Vector2d across(-near[1] / size, near[0] / size);
    const Eigen::Vector2d change = slip_rate(t, x, motion, c) + friction.reach * along_.turns[at(c)];
    along_.turns[at(c)] = across.dot(change) / size * across;
  }
}

void ContactDynamics::find_lags(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes& modes,
                                const std::vector<Index>& closed) const {
  std::vector<Index> beginning;
  for (const Index c : closed) {
    if (cones_.empty() || !modes.friction(c).begins_to_slip()) continue;
    beginning.push_back(c);
    modes.friction(c).lag = modes.friction(c).reach = 0;
  }
  if (beginning.empty() || !differentiates_implicitly(closed)) return;
  solve_for_forces(t, x, lambda, modes, 0, closed);
  Vector velocity = buffers_.field;
  add_impulses(at_hand_.solution, velocity);
  const Vector still = Vector::Zero(lambda.size());
  const Motion motion = motion_along(t, x, 1, velocity, still);
  along_.turns.assign(definition_.size(), Eigen::Vector2d::Zero());
  find_turns(t, x, modes, motion, closed);
  find_turns_of_begins(t, x, lambda, modes, motion, closed);
  for (const Index c : beginning) {
    const auto row = std::find(at_hand_.contacts.begin(), at_hand_.contacts.end(), contacts() + 2 * c) -
                     at_hand_.contacts.begin();
    const Eigen::Vector2d held = along_.forces.segment<2>(row);
    Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 2; ++j) acceleration[i] += effect(row + i, row + j) * held[j];
    const double lag = along_.turns[at(c)].norm() / acceleration.norm();
    if (std::isfinite(lag)) modes.friction(c).lag = lag;
  }
}

ContactModes ContactDynamics::find_turns_of_begins(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                   const ContactModes& modes, const Motion& motion,
                                                   const std::vector<Index>& of) const {
  std::vector<Index> beginning;
  for (const Index c : of) {
    if (modes.friction(c).begins_to_slip()) beginning.push_back(c);
  }
  const ContactModes held_ones = as_sticking(modes, beginning);
  prepare(t, x, lambda, held_ones, of);
  at_hand_.right_side = -at_hand_.accelerations;
  solve();
  take_along(t, x, lambda, held_ones, Vector(at_hand_.solution), 0);
  along_.is_known = false;
  residual_rates(t, x, lambda, held_ones, motion, along_.residual_rates);
  const Vector change = forces_rate(along_.residual_rates);
  ContactModes there = modes;
  for (const Index c : beginning) {
    const auto row = std::find(at_hand_.contacts.begin(), at_hand_.contacts.end(), contacts() + 2 * c) -
                     at_hand_.contacts.begin();
    const Eigen::Vector2d held = along_.forces.segment<2>(row);
    const double size = held.norm();
    if (!(size > 0)) continue;
    there.friction(c).direction = -held / size;
    const Eigen::Vector2d across(-held[1] / size, held[0] / size);
    along_.turns[at(c)] = -across.dot(change.segment<2>(row)) / size * across;
  }
  return there;
}

// sum += weight·(buffers_.unit − less), which are left at zero; both are of this contact.
void ContactDynamics::spill_unit(Index contact, double weight, VectorRef less, VectorRef sum) const {
  Vector& unit = buffers_.unit;
  if (!names_states(definition_[at(contact)])) {
    sum += weight * (unit - less);
    unit.setZero();
    less.setZero();
    return;
  }
  for (const Index state : acted_on_[at(contact)])
    sum[state] += weight * (std::exchange(unit[state], 0.0) - std::exchange(less[state], 0.0));
}

// sum += weight·d(force)/ds; `force` is one of this contact's.
void ContactDynamics::add_rate_of(const ForceFunction& force, const ForceAlongFunction& along, double t,
                                  ConstVectorRef x, const Motion& motion, Index contact, double weight,
                                  VectorRef sum) const {
  if (along) {
    along(t, x, motion.t, motion.x, buffers_.unit);
    spill_unit(contact, weight, buffers_.friction_unit, sum);
    return;
  }
  force(t + motion.step * motion.t, along_.above, buffers_.unit);
  force(t - motion.step * motion.t, along_.below, buffers_.friction_unit);
  spill_unit(contact, weight / (2 * motion.step), buffers_.friction_unit, sum);
}

double ContactDynamics::rate_of(const CoefficientFunction& coefficient, const CoefficientAlongFunction& along,
                                double t, ConstVectorRef x, const Motion& motion) const {
  if (along) return along(t, x, motion.t, motion.x);
  return (coefficient(t + motion.step * motion.t, along_.above) -
          coefficient(t - motion.step * motion.t, along_.below)) /
         (2 * motion.step);
}

// sum += force·db/ds, with b of this row.
void ContactDynamics::add_direction_rate(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         const ContactModes& modes, const Motion& motion, Index row,
                                         double force, VectorRef sum) const {
  const Index owner = owner_of(row);
  const Contact& c = contact(owner);
  if (is_tangential(row)) {
    const std::size_t k = at((row - contacts()) % 2);
    add_rate_of(c.cone->acts_on[k], c.cone->acts_on_along[k], t, x, motion, owner, force, sum);
    return;
  }
  add_rate_of(c.acts_on, c.acts_on_along, t, x, motion, owner, force, sum);
  const auto add_unit = [&](const ForceFunction& acts_on, double weight) {
    if (weight == 0) return;
    acts_on(t, x, buffers_.unit);
    spill_unit(owner, weight, buffers_.friction_unit, sum);
  };
  if (c.friction) {
    const ContactFriction& friction = *c.friction;
    const double coefficient = friction.coefficient(t, x);
    const double change = rate_of(friction.coefficient, friction.coefficient_along, t, x, motion);
    const double relay = lambda[friction.surface];
    add_rate_of(friction.acts_on, friction.acts_on_along, t, x, motion, owner, -coefficient * relay * force,
                sum);
    add_unit(friction.acts_on, -(change * relay + coefficient * motion.lambda[friction.surface]) * force);
  }
  if (!c.cone || modes.sticks(owner)) return;
  const double coefficient = coefficient_of(t, x, owner);
  const double change = rate_of(c.cone->coefficient, c.cone->coefficient_along, t, x, motion);
  const Eigen::Vector2d direction = direction_of(t, x, modes, owner);
  const Eigen::Vector2d turned = change * direction + coefficient * along_.turns[at(owner)];
  for (std::size_t k = 0; k < 2; ++k) {
    const double part = direction[static_cast<Index>(k)];
    add_rate_of(c.cone->acts_on[k], c.cone->acts_on_along[k], t, x, motion, owner,
                -coefficient * part * force, sum);
    add_unit(c.cone->acts_on[k], -turned[static_cast<Index>(k)] * force);
  }
}

// r' with Λ held, where take_along() has been called; along_.directions_rate is then b'Λ.
void ContactDynamics::residual_rates(double t, ConstVectorRef x, ConstVectorRef lambda,
                                     const ContactModes& modes, const Motion& motion, Vector& rates) const {
  Along& along = along_;
  const SystemDefinition& definition = evaluator_.system().definition();
  along.directions_rate.setZero();
  buffers_.unit.setZero();
  for (std::size_t r = 0; r < at_hand_.contacts.size(); ++r)
    add_direction_rate(t, x, lambda, modes, motion, at_hand_.contacts[r], along.forces[static_cast<Index>(r)],
                       along.directions_rate);
  evaluator_.counts().field += 2;
  definition.field_along(t, x, lambda, motion.t, motion.x, motion.lambda, along.value, along.field_rate);
  along.total_rate = along.field_rate + along.directions_rate;
  if (definition.field_mixed) {
    definition.field_mixed(t, x, lambda, 1, along.total, motion.t, motion.x, motion.lambda, along.total_rate,
                           along.acceleration_rate);
  } else {
    const auto acceleration_at = [&](double s, VectorRef acceleration) {
      const Vector moved = x + s * motion.x;
      const Vector relays = lambda + s * motion.lambda;
      evaluator_.field_along(t + s * motion.t, moved, relays, 1, along.total, along.value, acceleration);
    };
    difference(acceleration_at, motion.step, DifferenceSide::both, along.acceleration_rate);
    evaluator_.field_along(t, x, lambda, 0, along.total_rate, along.value, along.scratch);
    along.acceleration_rate += along.scratch;
  }
  rates.resize(static_cast<Index>(at_hand_.contacts.size()));
  const double alpha = along.stabilisation;
  for (std::size_t r = 0; r < at_hand_.contacts.size(); ++r) {
    const Index row = at_hand_.contacts[r];
    const Guard& function = function_of(row);
    const Gap& gap = gaps_of_[at(row)];
    double& rate = rates[static_cast<Index>(r)];
    const auto second = [&](double t_first, ConstVectorRef first, ConstVectorRef mixed) {
      if (gap.is_affine) return slopes(t, x, row).dot(mixed);
      return function.mixed(t, x, t_first, first, motion.t, motion.x, mixed, &gap.states);
    };
    if (is_tangential(row)) {
      rate = second(1, along.total, along.total_rate);
      if (alpha > 0) rate += alpha * function.rate(t, x, motion.t, motion.x, &gap.states);
      continue;
    }
    rate = gap.is_affine ? slopes(t, x, row).dot(along.acceleration_rate) : third(t, x, row, motion);
    if (alpha > 0)
      rate += alpha * (2 * second(1, along.field, along.field_rate) +
                       alpha * function.rate(t, x, motion.t, motion.x, &gap.states));
  }
}

// The derivative of ∂u/∂t + ∂u/∂x·F for a gap that is not affine.
double ContactDynamics::third(double t, ConstVectorRef x, Index row, const Motion& motion) const {
  const Along& along = along_;
  Vector moved, field, total, acceleration, change(1);
  const auto acceleration_at = [&](double s, VectorRef value) {
    moved = x + s * motion.x;
    field = along.field + s * along.field_rate;
    total = along.total + s * along.total_rate;
    acceleration = along.acceleration + s * along.acceleration_rate;
    value[0] = function_of(row).mixed(t + s * motion.t, moved, 1, field, 1, total, acceleration,
                                      &gaps_of_[at(row)].states);
  };
  difference(acceleration_at, motion.step, DifferenceSide::both, change);
  return change[0];
}

// Λ' = −B⁻¹ r', with the rows at hand.
Vector ContactDynamics::forces_rate(const Vector& rates) const {
  at_hand_.right_side = -rates;
  solve();
  Vector change = at_hand_.solution;
  at_hand_.solution = along_.forces;
  return change;
}

}  // namespace slideway
