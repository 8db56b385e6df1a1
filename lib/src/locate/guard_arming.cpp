#include "locate/guard_arming.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "core/constants.hpp"
#include "core/state_errors.hpp"
#include "simulate/held_surfaces.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"
#include "simulate/zero_sides.hpp"

namespace slideway {

void GuardArming::start(bool same_stepper) {
  GuardTable& guards = now_.here->guards;
  ModeOde& ode = now_.here->ode;
  state_.resize(now_.x.size());
  nudged_values_.resize(ode.guards());
  guards.start_slots(now_.regime.mode());
  if (now_.here->watch.size() > 0) start_events();
  guards.hold_surfaces(held_surfaces());
  start_stick_slip();
  if (!guards.leaves_any()) return;
  bool needs_nudge = ode.has_closed_contacts();
  guards.for_surfaces_left([&](Index i) {
    needs_nudge = needs_nudge ||
                  (now_.regime.mode().slides_on(i) && !(affine_ && affine_->watches(ModeOde::first_slot(i))));
  });
  if (needs_nudge) {
    state_ = now_.x;
    add_errors(now_.weights, state_);
    ode.exit_guards(now_.t, state_, nudged_values_);
  }
  guards.for_surfaces_left([&](Index i) {
    if (contains(guards.held_surfaces(), i)) return;
    if (now_.regime.mode().slides_on(i))
      start_exits(i, needs_nudge);
    else
      start_surface(i, same_stepper);
  });
  for (const Index c : guards.contacts_left()) {
    const Index slot = ode.contact_slot(c);
    if (now_.regime.contacts.is_closed(c)) {
      guards.start_closed_contact(c, guard_values_[slot],
                                  std::abs(nudged_values_[slot] - guard_values_[slot]));
    } else {
      ContactDynamics& contacts = *now_.here->contacts;
      const double error = contacts.tolerance(now_.t, now_.x, c, now_.weights);
      // Closed contacts draw states to gaps of zero, where rounding is that of the states' error scale.
      const double rounding = contacts.rounding(now_.t, now_.x, c) + kRoundingFactor * kEpsilon * error;
      // A gap that the motion keeps at zero differs from zero only by errors, so it must not arm the guard within them.
      const bool is_kept = keeps_its_gap(now_, c);
      const double wrong_way = kWrongWayFactor * error;
      guards.start_open_contact(c, guard_values_[slot], rounding, is_kept || !comes_back(c) ? wrong_way : 0,
                                is_kept ? wrong_way : 0);
    }
  }
}

std::vector<Index> GuardArming::held_surfaces() {
  ModeOde& ode = now_.here->ode;
  std::vector<Index> held;
  if (ode.has_closed_contacts()) held = held_by(now_, now_.regime.contacts.closed);
  ZeroSides& sides = now_.here->resolver.zero_sides();
  const bool slides = now_.regime.mode().codimension() > 0;
  if (!slides || !sides.any()) return held;
  const auto project = [&](double time, VectorRef x) {
    try {
      ode.project(time, now_.weights, x);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  for (const Index i : sides.held(now_.t, now_.x, now_.regime.mode(), now_.weights, project))
    if (!contains(held, i)) held.push_back(i);
  std::sort(held.begin(), held.end());
  return held;
}

// Only errors lead a gap below zero that starts with no velocity, or opens and is not pressed. Any other is followed from zero on, however
// low its flight is.
bool GuardArming::comes_back(Index contact) {
  ContactDynamics& contacts = *now_.here->contacts;
  const double rate = contacts.rate(now_.t, now_.x, now_.regime.lambda(), contact);
  const double noise =
      contacts.rate_rounding(now_.t, now_.x, now_.regime.lambda(), contact, now_.weights, now_.impact_noise);
  if (std::abs(rate) <= noise) return false;
  return rate < 0 ||
         contacts.acceleration(now_.t, now_.x, now_.regime.lambda(), now_.regime.contacts, contact) < 0;
}

// The slip of a contact may begin at zero, and its friction at the bound.
void GuardArming::start_stick_slip() {
  ModeOde& ode = now_.here->ode;
  for (Index k = 0; k < ode.plane_frictions(); ++k) {
    const ContactDynamics& contacts = *now_.here->contacts;
    const Index c = contacts.cones()[static_cast<std::size_t>(k)];
    const Index slot = ode.stick_slip_slot(k);
    const double error = contacts.slip_tolerance(now_.t, now_.x, c, now_.weights);
    PlaneFriction& friction = now_.regime.contacts.friction(c);
    friction.set_errors(kWrongWayFactor * error, kWrongSlip * error);
    const bool is_closed = now_.regime.contacts.is_closed(c);
    if (!is_closed || !friction.begins_to_slip()) now_.here->guards.ignore(ode.begin_slot(k));
    if (!is_closed) {
      now_.here->guards.ignore(slot);
      continue;
    }
    const double value = guard_values_[slot];
    if (!friction.sticks) {
      const double rounding = contacts.slip_rounding(now_.t, now_.x, c, now_.impact_noise);
      const double wrong_way = rounding + kWrongWayFactor * error;
      // Slip that begins grows from zero for many steps, each with an error.
      if (friction.begins)
        now_.here->guards.start_stick_slip(2 * k, wrong_way, wrong_way);
      else
        now_.here->guards.start_stick_slip(2 * k, rounding, value > rounding ? 0 : wrong_way);
      continue;
    }
    ode.exit_guards(now_.t, now_.x, nudged_values_);
    const double level =
        kForceRounding * contacts.stick_slip_guard(now_.t, now_.x, now_.regime.contacts, c).scale;
    if (value > level) continue;
    state_ = now_.x;
    add_errors(now_.weights, state_);
    ode.exit_guards(now_.t, state_, nudged_values_);
    now_.here->guards.start_stick_slip(
        2 * k, level,
        level + kWrongWayFactor * std::abs(nudged_values_[slot] - value) + std::max(0.0, -value));
  }
}

void GuardArming::start_exits(Index surface, bool is_nudged) {
  const Index first = ModeOde::first_slot(surface);
  const double scale = std::abs(guard_values_[first]) + std::abs(guard_values_[first + 1]);
  const double known = is_nudged ? 0 : affine_->exit_tolerance(surface, now_.weights);
  for (const Index slot : {first, first + 1}) {
    const double error = is_nudged ? std::abs(nudged_values_[slot] - guard_values_[slot]) : known;
    now_.here->guards.start_exit(slot, scale, error);
  }
}

void GuardArming::start_surface(Index i, bool same_stepper) {
  GuardTable& guards = now_.here->guards;
  const bool is_last = guards.surface(i).left;
  const double rounding = now_.here->geometry.rounding(now_.t, now_.x, i);
  const double tolerance = is_last ? now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights) : 0;
  guards.start_surface(i, guard_values_[ModeOde::first_slot(i)], rounding, tolerance,
                       gathered_errors(now_.options.rtol));
  // The errors of a motion far smaller than the tolerances bring it back for ever.
  if (guards.vain_returns() >= kVainReturns && makes_no_difference(i)) guards.arm_beyond_allowance(i);
  // Errors do not show before the guard has been left where its gradient vanishes with it.
  if (guards.returned_at_once() && same_stepper && is_last)
    guards.arm_beyond_error(i, kWrongWayFactor * tolerance_a_step_on(i));
}

// makes_no_difference() returns true if λ of the surface changes the states by less than a tolerance until the end
// of the run, as at a kink.
bool GuardArming::makes_no_difference(Index surface) {
  Vector lambda = now_.regime.lambda();
  Vector above(now_.x.size());
  try {
    lambda[surface] = 1;
    now_.here->evaluator.field(now_.t, now_.x, lambda, above);
    lambda[surface] = -1;
    now_.here->evaluator.field(now_.t, now_.x, lambda, state_);
  } catch (const std::exception&) {
    return false;
  }
  state_ = (above - state_).cwiseProduct(now_.weights);
  return state_.allFinite() && state_.lpNorm<Eigen::Infinity>() * (now_.run.end - now_.t) <= kNoDifference;
}

double GuardArming::tolerance_a_step_on(Index surface) {
  const double end = now_.t + now_.stepper->last_step_size();
  now_.stepper->evaluate(end, state_);
  return now_.here->geometry.tolerance(end, state_, surface, now_.weights);
}

// is_held() returns true if the constraints keep the guard at zero, as friction keeps the velocity of a sticking
// block. The test shifts the state by its errors and projects it back onto the constraints: the guard must not
// move, nor may constraints that move in time take it along. Rounding hides the motion of a guard under a shift by
// errors of tight tolerances, so the shift is made larger until it does not.
bool GuardArming::is_held(Index event, ModeOde& ode) {
  if (!ode.constrained()) return false;
  EventWatch& watch = now_.here->watch;
  const double value = now_.here->event_value(now_.t, now_.x, event);
  const double error = watch.tolerance(now_.t, now_.x, event, now_.weights);
  if (std::abs(value) > kWrongWayFactor * error) return false;
  const double rounding = kZeroFactor * watch.rounding_of_errors(now_.t, now_.x, event, now_.weights);
  const double times = errors_beyond_rounding(error, rounding, now_.options.rtol);
  state_ = now_.x;
  add_errors(now_.weights / times, state_);
  // No constraint holds a guard of the time alone.
  if (error == 0 && now_.here->event_value(now_.t, state_, event) == value) return false;
  try {
    ode.project(now_.t, now_.weights, state_);
  } catch (const std::runtime_error&) {
    return false;
  }
  return std::abs(now_.here->event_value(now_.t, state_, event) - value) <=
             kHeldPart * times * error + rounding &&
         !is_taken_along(event, ode, value, error + rounding);
}

// The constraints are looked at near and far. Where no projection leads onto the constraints of a later time there is nothing to compare.
bool GuardArming::is_taken_along(Index event, ModeOde& ode, double value, double hardly) {
  for (const double look : kLooks) {
    const double later = now_.t + look * (now_.run.end - now_.t);
    state_ = now_.x;
    try {
      ode.project(later, now_.weights, state_);
    } catch (const std::runtime_error&) {
      continue;
    }
    if (std::abs(now_.here->event_value(later, state_, event) - value) > hardly) return true;
  }
  return false;
}

// States that are drawn back onto constraints take part in the rounding of one another, in proportion to their errors. Discrete states
// have none.
double GuardArming::projection_noise(Index event) {
  if (!now_.here->ode.constrained()) return 0;
  const Index moving = now_.x.size() - now_.here->system.discrete();
  return kEpsilon * now_.x.head(moving).cwiseProduct(now_.weights.head(moving)).lpNorm<Eigen::Infinity>() *
         now_.here->watch.tolerance(now_.t, now_.x, event, now_.weights);
}

// event_rounding() is that of the state's error scale where the state slides along the zero of the guard.
double GuardArming::event_rounding(Index event) {
  return now_.here->watch.rounding_of_errors(now_.t, now_.x, event, now_.weights) +
         kZeroFactor * projection_noise(event);
}

double GuardArming::arming_level(Index event) {
  return kZeroFactor * event_rounding(event) + now_.here->guards.event(event).noise;
}

void GuardArming::start_events() {
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; e < watch.size(); ++e) {
    const Index slot = now_.here->ode.event_slot(e);
    if (!now_.agenda.limits.empty() && now_.is_part_of_limit(e)) {
      guards.ignore(slot);
    } else if (guards.event(e).armed) {
      continue;
    } else if (contains(poles_, slot)) {
      guards.start_behind_pole(e);
    } else {
      const GuardTable::EventSizes sizes{.value = guard_values_[slot],
                                         .rounding = event_rounding(e),
                                         .tolerance = watch.tolerance(now_.t, now_.x, e, now_.weights),
                                         .clear = arming_level(e)};
      const bool held = is_held(e, now_.here->ode);
      const bool is_condition = watch[e].is_condition() && std::abs(sizes.value) <= sizes.clear;
      if (held && is_condition) guards.rest(e, watch.at_zero(now_.t, now_.x, e));
      guards.start_event(e, sizes, held, gathered_errors(now_.options.rtol));
    }
  }
}

}  // namespace slideway
