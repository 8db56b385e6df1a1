// ContactDynamics of contacts with friction in a plane: whether they slip or stick, in which direction, and with what force.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/number_text.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"

namespace slideway {

namespace {

// Friction that holds is within its cone, but for this part of the bound.
constexpr double kWithinCone = 1e-10;
// Rounding of the velocity of slip, in units of its terms.
constexpr double kSlipRounding = 64;

}  // namespace

const Guard& ContactDynamics::function_of(Index row) const {
  if (!is_tangential(row)) return contact(row).gap;
  return contact(owner_of(row)).cone->velocities[at((row - contacts()) % 2)];
}

const std::vector<Index>& ContactDynamics::rows_of(const ContactModes& modes,
                                                   const std::vector<Index>& of) const {
  if (cones_.empty()) return of;
  buffers_.rows = of;
  for (const Index c : of) {
    if (!contact(c).cone || !modes.sticks(c)) continue;
    buffers_.rows.push_back(contacts() + 2 * c);
    buffers_.rows.push_back(contacts() + 2 * c + 1);
  }
  return buffers_.rows;
}

bool ContactDynamics::has_cones(const std::vector<Index>& of) const {
  return !cones_.empty() &&
         std::any_of(of.begin(), of.end(), [this](Index c) { return contact(c).cone.has_value(); });
}

double ContactDynamics::coefficient_of(double t, ConstVectorRef x, Index i) const {
  const double coefficient = contact(i).cone->coefficient(t, x);
  if (coefficient >= 0 && std::isfinite(coefficient)) return coefficient;
  throw std::runtime_error("the coefficient of friction of contact '" + contact(i).name + "' is " +
                           number_text(coefficient) + " at t = " + number_text(t) +
                           ", expected a number >= 0");
}

double ContactDynamics::ratio_of(double t, ConstVectorRef x, Index i) const {
  if (!contact(i).cone->at_rest) return 1;
  const double ratio = contact(i).cone->at_rest(t, x);
  if (ratio >= 1 && std::isfinite(ratio)) return ratio;
  throw std::runtime_error("the friction of contact '" + contact(i).name + "' at rest is " +
                           number_text(ratio) + " times that of slip at t = " + number_text(t) +
                           ", expected a number >= 1");
}

Eigen::Vector2d ContactDynamics::slip_of(double t, ConstVectorRef x, Index i) const {
  return {contact(i).cone->velocities[0].value(t, x), contact(i).cone->velocities[1].value(t, x)};
}

// Beyond v = 0 on the line of slip the friction keeps its direction, so that the field is smooth there.
Eigen::Vector2d ContactDynamics::direction_of(double t, ConstVectorRef x, const ContactModes& modes,
                                              Index i) const {
  const PlaneFriction& friction = modes.friction(i);
  const Eigen::Vector2d slip = slip_of(t, x, i);
  if (friction.begins) {
    const Eigen::Vector2d near = slip + friction.reach * friction.direction;
    return friction.reach > 0 && near.norm() > 0 ? near.normalized() : friction.direction;
  }
  const double speed = slip.norm();
  if (!(speed > friction.rounding)) return friction.direction;
  return slip.dot(friction.direction) < 0 ? Eigen::Vector2d(-slip / speed) : Eigen::Vector2d(slip / speed);
}

double ContactDynamics::slip_speed(double t, ConstVectorRef x, Index i) const {
  return slip_of(t, x, i).norm();
}

double ContactDynamics::slip_rounding(double t, ConstVectorRef x, Index i, double noise) const {
  double size = 0;
  for (Index row = contacts() + 2 * i; row < contacts() + 2 * i + 2; ++row) {
    const Sparse& gradient = slopes(t, x, row);
    size += std::abs(gaps_of_[at(row)].by_time * t);
    for (std::size_t k = 0; k < gradient.states.size(); ++k) {
      const Index state = gradient.states[k];
      size += std::abs(gradient.values[k]) * (std::abs(x[state]) + far_.typical_sizes[state]);
    }
  }
  return kSlipRounding * kEpsilon * size + noise;
}

double ContactDynamics::slip_tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights) const {
  const Index first = contacts() + 2 * i;
  return tolerance(t, x, first, weights) + tolerance(t, x, first + 1, weights);
}

ContactDynamics::StickSlipGuard ContactDynamics::stick_slip_guard(double t, ConstVectorRef x,
                                                                  const ContactModes& modes, Index i) const {
  if (modes.sticks(i)) {
    const double bound = ratio_of(t, x, i) * coefficient_of(t, x, i) * buffers_.all_forces[i];
    const double held = std::hypot(buffers_.all_friction[i], buffers_.second_friction[i]);
    return {bound - held, std::abs(bound) + held};
  }
  const PlaneFriction& friction = modes.friction(i);
  const Eigen::Vector2d slip = slip_of(t, x, i);
  const double speed = slip.norm();
  if (friction.has_stopped && is_slow(t, x, modes, i)) return {-friction.slow, speed};
  if (friction.begins) return {slip.dot(friction.direction), speed};
  return {slip.dot(friction.direction) < 0 ? -speed : speed, speed};
}

bool ContactDynamics::is_slow(double t, ConstVectorRef x, const ContactModes& modes, Index i) const {
  const PlaneFriction& friction = modes.friction(i);
  return slip_of(t, x, i).norm() <= friction.rounding + friction.slow;
}

double ContactDynamics::begin_guard(double t, ConstVectorRef x, const ContactModes& modes, Index i) const {
  const PlaneFriction& friction = modes.friction(i);
  if (!friction.begins) return 1;
  const Eigen::Vector2d slip = slip_of(t, x, i);
  const Eigen::Vector2d& along = friction.direction;
  const double across = std::abs(slip[0] * along[1] - slip[1] * along[0]);
  if (!(friction.reach > 0)) return friction.slow - across;
  const double speed = slip.norm();
  return std::min(friction.reach - speed, friction.slow - across * friction.reach / (speed + friction.reach));
}

bool ContactDynamics::slips_in_plane(const ContactModes& modes) const {
  return std::any_of(cones_.begin(), cones_.end(),
                     [&](Index c) { return !modes.sticks(c) && modes.is_closed(c); });
}

double ContactDynamics::slip_decay(double t, ConstVectorRef x, ConstVectorRef lambda,
                                   const ContactModes& modes) const {
  const ContactModes& there = forces(t, x, lambda, modes).modes;
  double fastest = 0;
  for (const Index c : cones_) {
    if (modes.sticks(c) || !modes.is_closed(c)) continue;
    const PlaneFriction& friction = modes.friction(c);
    const Eigen::Vector2d n = direction_of(t, x, there, c);
    const Eigen::Vector2d across(-n[1], n[0]);
    buffers_.friction_unit.setZero();
    for (Index k = 0; k < 2; ++k) {
      buffers_.unit.setZero(x.size());
      contact(c).cone->acts_on[at(k)](t, x, buffers_.unit);
      buffers_.friction_unit += across[k] * buffers_.unit;
    }
    double effect = 0;
    for (Index k = 0; k < 2; ++k) {
      const Sparse& gradient = slopes(t, x, contacts() + 2 * c + k);
      effect += across[k] * gradient.dot(buffers_.friction_unit);
    }
    const double speed = slip_of(t, x, c).norm();
    const double reach = friction.begins ? friction.reach + speed : std::max(speed, friction.slow);
    const double bound = std::hypot(buffers_.all_friction[c], buffers_.second_friction[c]);
    if (reach > 0 && !(friction.begins && friction.reach == 0))
      fastest = std::max(fastest, bound * effect / reach);
  }
  buffers_.friction_unit.setZero();
  buffers_.unit.setZero();
  return fastest;
}

void ContactDynamics::end_begin(double t, ConstVectorRef x, Index i, ContactModes& modes) const {
  PlaneFriction& friction = modes.friction(i);
  friction.begins = false;
  const Eigen::Vector2d slip = slip_of(t, x, i);
  if (slip.norm() > 0) friction.direction = slip.normalized();
}

ContactModes ContactDynamics::as_sticking(const ContactModes& modes, const std::vector<Index>& contacts) {
  ContactModes changed = modes;
  for (const Index c : contacts) changed.friction(c).sticks = true;
  return changed;
}

const ContactModes& ContactDynamics::beginning_at(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                  const ContactModes& modes,
                                                  const std::vector<Index>& of) const {
  if (cones_.empty()) return modes;
  const auto begins = [&](Index c) { return modes.friction(c).begins_to_slip(); };
  if (std::none_of(of.begin(), of.end(), begins)) return modes;
  ContactModes& held_ones = buffers_.as_sticking;
  held_ones.frictions = modes.frictions;
  for (const Index c : of) held_ones.friction(c).sticks = held_ones.friction(c).sticks || begins(c);
  prepare_as(t, x, lambda, held_ones, of);
  at_hand_.right_side = -at_hand_.accelerations;
  solve();
  ContactModes& there = buffers_.beginning;
  there = modes;
  for (const Index c : of) {
    if (!begins(c)) continue;
    const auto row = std::find(at_hand_.contacts.begin(), at_hand_.contacts.end(), contacts() + 2 * c);
    const Eigen::Vector2d held = at_hand_.solution.segment<2>(row - at_hand_.contacts.begin());
    if (held.norm() > 0) there.friction(c).direction = -held.normalized();
  }
  return there;
}

void ContactDynamics::follow_slip(double t, ConstVectorRef x, ConstVectorRef lambda,
                                  ContactModes& modes) const {
  for (const Index c : cones_) {
    PlaneFriction& friction = modes.friction(c);
    if (friction.sticks || friction.begins || !modes.is_closed(c)) continue;
    const Eigen::Vector2d slip = slip_of(t, x, c);
    const bool ends = is_slow(t, x, modes, c) && held_from_slip(t, x, lambda, modes, c).is_within;
    friction.has_stopped = ends && friction.ends;
    friction.ends = ends;
    if (!ends && slip.norm() > friction.rounding && slip.dot(friction.direction) > 0)
      friction.direction = slip.normalized();
  }
}

// The friction that would hold a contact that slips.
ContactDynamics::Held ContactDynamics::held_from_slip(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                      const ContactModes& modes, Index i) const {
  solve_for_forces(t, x, lambda, as_sticking(modes, {i}), 0, modes.closed);
  const auto row =
      std::find(at_hand_.contacts.begin(), at_hand_.contacts.end(), i) - at_hand_.contacts.begin();
  const auto first = std::find(at_hand_.contacts.begin(), at_hand_.contacts.end(), contacts() + 2 * i) -
                     at_hand_.contacts.begin();
  const Eigen::Vector2d force = at_hand_.solution.segment<2>(first);
  const double bound = ratio_of(t, x, i) * coefficient_of(t, x, i) * at_hand_.solution[row];
  return {.force = force, .is_within = force.norm() <= bound * (1 + kWithinCone)};
}

bool ContactDynamics::slips_on(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                               Index i) const {
  const Eigen::Vector2d along = modes.friction(i).direction;
  const Held held = held_from_slip(t, x, lambda, modes, i);
  return !held.is_within && held.force.dot(along) <= 0;
}

void ContactDynamics::find_directions(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes& modes,
                                      double noise) const {
  std::vector<Index> resting;
  for (const Index c : cones_) {
    PlaneFriction& friction = modes.friction(c);
    if (friction.sticks || friction.begins || !modes.is_closed(c)) continue;
    friction.rounding = slip_rounding(t, x, c, noise);
    const Eigen::Vector2d slip = slip_of(t, x, c);
    if (slip.norm() > friction.rounding)
      friction.direction = slip.normalized();
    else
      resting.push_back(c);
  }
  if (resting.empty()) return;
  for (const Index c : resting) modes.friction(c).sticks = modes.friction(c).breaks_away = true;
  release_into_slip(t, x, lambda, modes, modes.closed, resting);
  for (const Index c : resting) modes.friction(c).sticks = modes.friction(c).begins = false;
}

void ContactDynamics::add_direction(double t, ConstVectorRef x, ConstVectorRef lambda,
                                    const ContactModes& modes, Index row, VectorRef b) const {
  const Index owner = owner_of(row);
  const Contact& c = contact(owner);
  if (is_tangential(row)) {
    c.cone->acts_on[at((row - contacts()) % 2)](t, x, b);
    return;
  }
  c.add_unit_force(t, x, lambda, buffers_.friction_unit, b);
  if (!c.cone || modes.sticks(owner)) return;
  const Eigen::Vector2d friction = -coefficient_of(t, x, owner) * direction_of(t, x, modes, owner);
  for (Index k = 0; k < 2; ++k) {
    c.cone->acts_on[at(k)](t, x, buffers_.friction_unit);
    b += friction[k] * buffers_.friction_unit;
    buffers_.friction_unit.setZero();
  }
}

// The forces of friction that go with all_forces, where the rows at hand are those of the closed contacts.
void ContactDynamics::take_cone_forces(double t, ConstVectorRef x, const ContactModes& modes,
                                       double weight) const {
  if (cones_.empty()) return;
  auto row = static_cast<Index>(modes.closed.size());
  for (std::size_t r = 0; r < modes.closed.size(); ++r) {
    const Index c = modes.closed[r];
    if (!contact(c).cone) continue;
    Eigen::Vector2d friction;
    if (modes.sticks(c)) {
      friction = at_hand_.solution.segment<2>(row);
      row += 2;
    } else {
      friction =
          -coefficient_of(t, x, c) * at_hand_.solution[static_cast<Index>(r)] * direction_of(t, x, modes, c);
    }
    buffers_.all_friction[c] += weight * friction[0];
    buffers_.second_friction[c] += weight * friction[1];
  }
}

void ContactDynamics::refuse_tangential(double t, Index row) const {
  const Index which = at_hand_.contacts[at(row)];
  throw std::runtime_error("the friction of contact '" + contact(owner_of(which)).name +
                           "' does not act on its velocity " + std::to_string((which - contacts()) % 2 + 1) +
                           ": a unit force changes it by " + number_text(effect(row, row)) +
                           ", expected more than 0, at t = " + number_text(t) +
                           "; check acts_on of the friction: a force in the direction of each velocity");
}

ConeAnswer ContactDynamics::solve_cones_at_hand(double t, ConstVectorRef x, const ContactModes& modes,
                                                const std::vector<Index>& of, const Vector& free,
                                                const Vector& least, bool are_impulses) const {
  std::vector<Index> all(at_hand_.contacts.size());
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = static_cast<Index>(r);
  std::vector<ConeRows> rows;
  auto next = static_cast<Index>(of.size());
  for (std::size_t r = 0; r < of.size(); ++r) {
    ConeRows& one = rows.emplace_back();
    one.normal = static_cast<Index>(r);
    one.least = least[static_cast<Index>(r)];
    if (!contact(of[r]).cone || !modes.sticks(of[r])) continue;
    one.tangential = next;
    one.coefficient = coefficient_of(t, x, of[r]);
    if (are_impulses) {
      const Eigen::Vector2d slip = free.segment<2>(next);
      if (slip.norm() > 0) one.slip = slip.normalized();
    } else {
      one.ratio = ratio_of(t, x, of[r]);
      one.breaks_away = modes.friction(of[r]).breaks_away;
    }
    next += 2;
  }
  ConeAnswer answer = solve_cones(effects(all), free, rows);
  if (answer.solved) return answer;
  throw std::runtime_error(
      std::string(are_impulses ? "no impulses" : "no forces") +
      " that only push, with friction within its cones, satisfy the contacts " + names(of) +
      " at t = " + number_text(t) +
      "; friction may press the bodies together as fast as the forces part them, a Painlevé "
      "situation: give the contact a stiffness, or a smaller friction");
}

ContactModes ContactDynamics::settle_plane_frictions(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                     ContactModes modes, const std::vector<Index>& touching,
                                                     double noise) const {
  std::vector<Index> resting;
  bool any_breaks = false;
  for (const Index c : touching) {
    if (!contact(c).cone) continue;
    PlaneFriction& friction = modes.friction(c);
    const Eigen::Vector2d slip = slip_of(t, x, c);
    friction.rounding = slip_rounding(t, x, c, noise);
    friction.ends = friction.has_stopped = false;
    friction.sticks = !(slip.norm() > friction.rounding);
    friction.begins = friction.begins && !friction.sticks;
    if (friction.sticks) {
      resting.push_back(c);
      any_breaks = any_breaks || friction.breaks_away;
    } else if (!friction.begins) {
      friction.direction = slip.normalized();
    }
  }
  modes.closed = closed_under_forces(t, x, lambda, modes, touching);
  if (!resting.empty() && (any_breaks || !plane_frictions_hold(t, x, lambda, modes, modes.closed))) {
    release_into_slip(t, x, lambda, modes, touching, resting);
    modes.closed = closed_under_forces(t, x, lambda, modes, touching);
  }
  for (const Index c : resting) {
    if (!modes.is_closed(c)) modes.friction(c).sticks = false;
  }
  find_lags(t, x, lambda, modes, modes.closed);
  return modes;
}

bool ContactDynamics::plane_frictions_hold(double t, ConstVectorRef x, ConstVectorRef lambda,
                                           const ContactModes& modes,
                                           const std::vector<Index>& closed) const {
  if (closed.empty()) return true;
  solve_for_forces(t, x, lambda, modes, 0, closed);
  auto row = static_cast<Index>(closed.size());
  for (std::size_t r = 0; r < closed.size(); ++r) {
    const Index c = closed[r];
    if (!contact(c).cone || !modes.sticks(c)) continue;
    const double held = at_hand_.solution.segment<2>(row).norm();
    const double bound =
        ratio_of(t, x, c) * coefficient_of(t, x, c) * at_hand_.solution[static_cast<Index>(r)];
    if (!(held <= bound * (1 + kWithinCone))) return false;
    row += 2;
  }
  return true;
}

// Decides which of the contacts at rest go on to stick, and the directions of the others. They are taken to stick so far.
void ContactDynamics::release_into_slip(double t, ConstVectorRef x, ConstVectorRef lambda,
                                        ContactModes& modes, const std::vector<Index>& touching,
                                        const std::vector<Index>& resting) const {
  prepare(t, x, lambda, modes, touching);
  const ConeAnswer answer = solve_cones_at_hand(t, x, modes, touching, at_hand_.accelerations,
                                                Vector::Zero(static_cast<Index>(touching.size())), false);
  for (std::size_t r = 0; r < touching.size(); ++r) {
    if (std::find(resting.begin(), resting.end(), touching[r]) == resting.end()) continue;
    PlaneFriction& friction = modes.friction(touching[r]);
    friction.sticks = answer.sticks[r] != 0;
    friction.begins = answer.begins[r] != 0;
    friction.breaks_away = false;
    friction.direction = answer.directions[r];
    if (friction.sticks) {
      const auto row =
          std::find(at_hand_.contacts.begin(), at_hand_.contacts.end(), contacts() + 2 * touching[r]);
      const Eigen::Vector2d held = answer.z.segment<2>(row - at_hand_.contacts.begin());
      if (held.norm() > 0) friction.direction = -held.normalized();
    }
  }
}

void ContactDynamics::refuse_mixed_impact(double t, const std::vector<Index>& touching) const {
  throw std::runtime_error(
      "the impact of " + names(touching) + " at t = " + number_text(t) +
      " is not known: some of them have friction along a line, others in a plane; give the friction "
      "of all of them two velocities");
}

}  // namespace slideway
