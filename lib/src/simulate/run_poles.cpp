// RunEngine where a guard changes its sign without being zero: in a pole, as 1/(x − 1) and tan x do. A surface has another side from
// there on, which is a crossing where the motion leads through; an event, which is a zero, does not take place.

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// How near to a pole guards and fields are looked at, in units of the accuracy of location, and the ratio of the distances.
constexpr double kNearPole = 100;
constexpr double kDistances = 100;
// By what a guard grows at least from one distance to the next: towards a pole of order 1/4.
constexpr double kGrowth = 3;
// What grows towards a pole like 1/distance, or as fast but for this factor, has no integral there.
constexpr double kNotIntegrable = 0.1;

}  // namespace

double RunEngine::guard_of(Index slot, double t) {
  LocationTools& here = *here_;
  stepper_->evaluate(t, state_);
  if (slot >= here.ode.event_slot(0)) return here.watch.value(t, state_, slot - here.ode.event_slot(0));
  auto h = nudged_values_.head(mode_.size());
  here.evaluator.guards(t, state_, h);
  return static_cast<double>(static_cast<signed char>(mode_[slot / 2])) * h[slot / 2];
}

// Whether the guard is positive before t and negative after it, and grows towards t from both sides.
bool RunEngine::is_pole(Index slot, double t) {
  const Index surfaces = ModeOde::first_slot(mode_.size());
  if (slot < surfaces ? mode_.slides_on(slot / 2) || slot % 2 != 0 : slot < here_->ode.event_slot(0))
    return false;
  const double accuracy = location_accuracy(t, stepper_->last_step_size());
  for (const double side : {-1.0, 1.0}) {
    double nearer = std::numeric_limits<double>::infinity();
    for (const double distance : {1.0, kDistances, kDistances * kDistances}) {
      double value = 0;
      try {
        value = -side * guard_of(slot, t + side * distance * kNearPole * accuracy);
      } catch (const std::exception&) {
        return false;
      }
      if (!std::isfinite(value)) return false;
      if (distance == 1 && !(value > 0)) return false;
      if (!(kGrowth * std::abs(value) <= nearer)) return false;
      nearer = std::abs(value);
    }
  }
  return true;
}

const Arrival& RunEngine::without_poles(const Arrival& arrival) {
  std::vector<Index>& poles = scanned_.poles;
  for (std::size_t slot = 0; slot < arrival.guards.size(); ++slot) {
    if (arrival.guards[slot] != 0 && is_pole(static_cast<Index>(slot), arrival.t))
      poles.push_back(static_cast<Index>(slot));
  }
  if (poles.empty()) return arrival;
  scanned_.passed = arrival;
  scanned_.passed.steep = false;
  for (const Index slot : poles) scanned_.passed.guards[static_cast<std::size_t>(slot)] = 0;
  // To where all are on their new sides.
  const double accuracy = location_accuracy(arrival.t, stepper_->last_step_size());
  double after = accuracy;
  const auto is_passed = [&](Index slot) { return guard_of(slot, arrival.t + after) < 0; };
  while (after < kNearPole * accuracy && !std::all_of(poles.begin(), poles.end(), is_passed)) after *= 2;
  scanned_.passed.t = std::min(arrival.t + after, run_.end);
  // So near to a pole a guard changes over no more than the distance to it.
  scanned_.march_step = after;
  return scanned_.passed;
}

bool RunEngine::passes_pole_of_surface() const {
  return std::any_of(scanned_.poles.begin(), scanned_.poles.end(),
                     [&](Index slot) { return slot < ModeOde::first_slot(mode_.size()); });
}

void RunEngine::pass_poles_of_events() {
  EventWatch& watch = here_->watch;
  for (const Index slot : scanned_.poles) {
    const Index e = slot - here_->ode.event_slot(0);
    if (e < 0) continue;
    watch.set_armed(e, false);
    watch.set_noise(e, 0);
    watch.set_allowance(e, std::numeric_limits<double>::infinity());
    if (watch[e].direction == Direction::any) watch.set_side(e, -watch.side(e));
  }
}

bool RunEngine::pass_poles_of_surfaces() {
  for (const Index slot : scanned_.poles) {
    // One without a value in the pole itself may have its new side already.
    if (slot >= ModeOde::first_slot(mode_.size()) || guard_of(slot, t_) > 0) continue;
    const Index i = slot / 2;
    const Side side = mode_[i] == Side::plus ? Side::minus : Side::plus;
    const bool has_effect = here_->ode.has_effect(t_, x_, i);
    const auto stop = [&](const std::string& why) {
      finish(Status::user_function_failed, "the guard of surface '" + surface_name(i) +
                                               "' changes its sign in a pole at t = " + number_text(t_) +
                                               ", " + why);
      return false;
    };
    if (has_effect && !both_fields_lead_on(i, side))
      return stop(
          "where the motion does not lead through it on both sides: what follows can be told only where a "
          "guard is zero; write it as one that is, such as its reciprocal");
    if (has_effect && !has_finite_integral(i, side))
      return stop("and so does the derivative of a state, whose integral is infinite there");
    leaving_.drop(i);
    turn_side(i, side,
              has_effect ? "the guard changes its sign in a pole, and both fields lead through it"
                         : "the guard changes its sign in a pole; its relay has no effect here");
  }
  mode_.fill_lambda(lambda_);
  here_->ode.set_mode(mode_, lambda_, repelling_);
  return true;
}

// Whether the guard comes back from the pole, on this side of it, with either value of the relay.
bool RunEngine::both_fields_lead_on(Index surface, Side side) {
  Vector lambda = here_->ode.slides() ? here_->ode.field().lambda(t_, x_) : lambda_;
  Vector rates(mode_.size());
  for (const double relay : {-1.0, 1.0}) {
    lambda[surface] = relay;
    try {
      here_->evaluator.field(t_, x_, lambda, state_);
      here_->evaluator.guard_rates(t_, x_, state_, rates);
    } catch (const std::exception&) {
      return false;
    }
    if (!(static_cast<double>(static_cast<signed char>(side)) * rates[surface] < 0)) return false;
  }
  return true;
}

// Whether the velocity, on the way to the pole and beyond, grows so slowly towards it that its integral exists.
bool RunEngine::has_finite_integral(Index surface, Side side) {
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  const double nearest = kNearPole * accuracy;
  const double farthest = nearest * kDistances * kDistances;
  Vector lambda = here_->ode.slides() ? here_->ode.field().lambda(t_, x_) : lambda_;
  Vector near(x_.size()), far(x_.size());
  for (const double direction : {-1.0, 1.0}) {
    lambda[surface] = direction * static_cast<double>(static_cast<signed char>(side));
    for (const double distance : {nearest, farthest}) {
      const double t = t_ + direction * distance;
      stepper_->evaluate(t, state_);
      try {
        here_->evaluator.field(t, state_, lambda, distance == nearest ? near : far);
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
