#include "rules/pole_check.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "filippov/side_loops.hpp"
#include "simulate/precision.hpp"

namespace slideway {

double PoleCheck::guard_of(Index slot, double t) {
  LocationTools& here = *now_.here;
  state_.resize(now_.x.size());
  now_.stepper->evaluate(t, state_);
  if (slot >= here.ode.event_slot(0)) return here.event_value(t, state_, slot - here.ode.event_slot(0));
  guards_.resize(now_.regime.mode().size());
  here.evaluator.guards(t, state_, guards_);
  return number_of(now_.regime.mode()[slot / 2]) * guards_[slot / 2];
}

PoleCheck::Change PoleCheck::change_at(Index slot, double t) {
  const Index surfaces = ModeOde::first_slot(now_.regime.mode().size());
  if (slot < surfaces ? now_.regime.mode().slides_on(slot / 2) || slot % 2 != 0
                      : slot < now_.here->ode.event_slot(0))
    return Change::zero;
  const double accuracy = location_accuracy(t, now_.stepper->last_step_size());
  bool grows = true;
  bool jumps = false;
  for (const double side : {-1.0, 1.0}) {
    double nearest = 0;
    double nearer = std::numeric_limits<double>::infinity();
    for (const double distance : {1.0, kPoleDistances, kPoleDistances * kPoleDistances}) {
      double value = 0;
      try {
        value = -side * guard_of(slot, t + side * distance * kNearPole * accuracy);
      } catch (const std::exception&) {
        return Change::zero;
      }
      if (!std::isfinite(value)) return Change::zero;
      if (distance == 1 && !(value > 0)) return Change::zero;
      if (distance == 1) nearest = value;
      grows = grows && kPoleGrowth * std::abs(value) <= nearer;
      nearer = std::abs(value);
    }
    jumps = jumps || kPoleGrowth * nearest >= nearer;
  }
  return grows ? Change::pole : jumps && slot < surfaces ? Change::jump : Change::zero;
}

const Arrival& PoleCheck::without_poles(const Arrival& arrival) {
  std::vector<Index>& poles = locator_.scanned().poles;
  jumps_.clear();
  for (std::size_t slot = 0; slot < arrival.guards.size(); ++slot) {
    if (arrival.guards[slot] == 0) continue;
    const Change change = change_at(static_cast<Index>(slot), arrival.t);
    if (change == Change::jump) jumps_.push_back(static_cast<Index>(slot));
    if (change != Change::zero) poles.push_back(static_cast<Index>(slot));
  }
  if (poles.empty()) return arrival;
  locator_.scanned().passed = arrival;
  locator_.scanned().passed.steep = false;
  for (const Index slot : poles) locator_.scanned().passed.guards[static_cast<std::size_t>(slot)] = 0;
  // The state goes to where all guards are on their new sides.
  const double accuracy = location_accuracy(arrival.t, now_.stepper->last_step_size());
  double after = accuracy;
  const auto is_passed = [&](Index slot) { return guard_of(slot, arrival.t + after) < 0; };
  while (after < kNearPole * accuracy && !std::all_of(poles.begin(), poles.end(), is_passed)) after *= 2;
  locator_.scanned().passed.t = std::min(arrival.t + after, now_.run.end);
  // A guard changes near a pole over no more than the distance to it.
  locator_.scanned().march_step = after;
  return locator_.scanned().passed;
}

bool PoleCheck::passes_surface() const {
  return std::any_of(locator_.scanned().poles.begin(), locator_.scanned().poles.end(),
                     [&](Index slot) { return slot < ModeOde::first_slot(now_.regime.mode().size()); });
}

void PoleCheck::pass_events() {
  for (const Index slot : locator_.scanned().poles) {
    const Index e = slot - now_.here->ode.event_slot(0);
    if (e >= 0) now_.here->guards.pass_pole(e);
  }
}

bool PoleCheck::both_fields_lead_on(Index surface, Side side) {
  Vector lambda =
      now_.here->ode.slides() ? now_.here->ode.field().lambda(now_.t, now_.x) : now_.regime.lambda();
  Vector rates(now_.regime.mode().size());
  state_.resize(now_.x.size());
  for (const double relay : {-1.0, 1.0}) {
    lambda[surface] = relay;
    try {
      now_.here->evaluator.field(now_.t, now_.x, lambda, state_);
      now_.here->evaluator.guard_rates(now_.t, now_.x, state_, rates);
    } catch (const std::exception&) {
      return false;
    }
    if (!(number_of(side) * rates[surface] < 0)) return false;
  }
  return true;
}

bool PoleCheck::stays_beyond(Index surface, Side side) {
  const double ahead = kPoleDistances * kNearPole * location_accuracy(now_.t, now_.stepper->last_step_size());
  Vector lambda =
      now_.here->ode.slides() ? now_.here->ode.field().lambda(now_.t, now_.x) : now_.regime.lambda();
  Vector before(now_.x.size()), velocity(now_.x.size());
  guards_.resize(now_.regime.mode().size());
  try {
    lambda[surface] = -number_of(side);
    now_.here->evaluator.field(now_.t, now_.x, lambda, before);
    lambda[surface] = number_of(side);
    now_.here->evaluator.field(now_.t, now_.x, lambda, velocity);
    if (velocity == before) return true;
    state_ = now_.x + ahead * velocity;
    now_.here->evaluator.guards(now_.t + ahead, state_, guards_);
  } catch (const std::exception&) {
    return false;
  }
  return number_of(side) * guards_[surface] > 0;
}

bool PoleCheck::has_finite_integral(Index surface, Side side) {
  const double accuracy = location_accuracy(now_.t, now_.stepper->last_step_size());
  const double nearest = kNearPole * accuracy;
  const double farthest = nearest * kPoleDistances * kPoleDistances;
  Vector lambda =
      now_.here->ode.slides() ? now_.here->ode.field().lambda(now_.t, now_.x) : now_.regime.lambda();
  Vector near(now_.x.size()), far(now_.x.size());
  state_.resize(now_.x.size());
  for (const double direction : {-1.0, 1.0}) {
    lambda[surface] = direction * number_of(side);
    for (const double distance : {nearest, farthest}) {
      const double t = now_.t + direction * distance;
      now_.stepper->evaluate(t, state_);
      try {
        now_.here->evaluator.field(t, state_, lambda, distance == nearest ? near : far);
      } catch (const std::exception&) {
        return false;
      }
    }
    if (!near.allFinite() || !far.allFinite()) return false;
    for (Index j = 0; j < near.size(); ++j) {
      if (std::abs(near[j]) * nearest > kNotIntegrable * std::abs(far[j]) * farthest) return false;
    }
  }
  return true;
}

}  // namespace slideway
