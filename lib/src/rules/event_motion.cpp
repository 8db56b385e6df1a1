#include "rules/event_motion.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

#include "core/constants.hpp"
#include "core/state_errors.hpp"
#include "simulate/precision.hpp"

namespace slideway {

// zero_level() depends on the state's origin. A reset leaves its guards at zero within rounding; a state that was
// integrated is on a guard only within its error.
double EventMotion::zero_level(Index event) {
  EventWatch& watch = now_.here->watch;
  // A state that slid along the zero of the guard has no rounding but that of its error scale.
  double level = kZeroFactor * watch.rounding_of_errors(now_.t, now_.x, event, now_.weights);
  // Where a guard or a contact has been located the others are known no better than the time of the instant.
  if (!jumps_.zero_guards.empty() || !jumps_.hit.empty()) {
    if (const Displacement* const located = displacement_of_location())
      level += std::abs(watch.rate(now_.t, now_.x, located->dx / located->dt, event)) * located->dt;
  }
  for (const InstantJumps::ZeroGuard& zero : jumps_.zero_guards) {
    if (!(zero.when == watch[event].when)) continue;
    velocity_.resize(now_.x.size());
    now_.here->evaluator.field(now_.t, now_.x, now_.regime.lambda(), velocity_);
    level += std::abs(zero.when.rate(now_.t, now_.x, 1, velocity_)) *
                 location_accuracy(now_.t, now_.stepper ? now_.stepper->last_step_size() : 0) +
             zero.left;
  }
  if (watch[event].kind != WatchedKind::edge || instant_.moved) return level;
  weights_ = now_.errors.accumulated().cwiseInverse();
  weights_.tail(now_.here->system.discrete()).setConstant(std::numeric_limits<double>::infinity());
  return level + watch.tolerance(now_.t, now_.x, event, weights_);
}

double EventMotion::held_level(Index event) {
  return zero_level(event) +
         kWrongWayFactor * now_.here->watch.tolerance(now_.t, now_.x, event, now_.weights);
}

// displacement_of_location() returns the accuracy of location, and the way of the state in this time as it arrived, or
// null where no step has led to the instant.
const Displacement* EventMotion::displacement_of_location() {
  const double step = now_.stepper ? now_.stepper->last_step_size() : 0;
  const double before = now_.t - kPartOfStep * step;
  const bool arrived =
      now_.stepper && instant_.before.size() == now_.x.size() && before < now_.t && now_.t <= now_.step.end;
  if (!arrived) return nullptr;
  if (located_at_ == now_.t && located_.dx.size() == now_.x.size()) return &located_;
  located_at_ = now_.t;
  located_.dt = location_accuracy(now_.t, step);
  located_.dx.resize(now_.x.size());
  now_.stepper->evaluate(before, located_.dx);
  located_.dx = located_.dt / (now_.t - before) * (instant_.before - located_.dx);
  return &located_;
}

// points_not_told_apart() lists the points that cannot be told from the time and state of the run. They are later
// by the accuracy of location, and beside the state by rounding or by the errors of integration.
std::vector<Displacement> EventMotion::points_not_told_apart(bool exact) {
  Displacement later{.dt = kRoundingFactor * kEpsilon * std::abs(now_.t), .dx = Vector::Zero(now_.x.size())};
  if (const Displacement* const located = displacement_of_location()) later = *located;
  Vector errors = kRoundingFactor * kEpsilon * (now_.x.cwiseAbs() + now_.weights.cwiseInverse());
  if (!exact) errors += now_.errors.accumulated();
  // A discrete state is what something last set it to.
  errors.tail(now_.here->system.discrete()).setZero();
  Displacement beside{.dt = kRoundingFactor * kEpsilon * std::abs(now_.t), .dx = Vector::Zero(now_.x.size())};
  add_errors(errors.cwiseInverse(), beside.dx);
  return {later, beside};
}

double EventMotion::noise_of_rate(Index event, double rate, ConstVectorRef velocity,
                                  const std::vector<Displacement>& displacements, ModeOde& ode) {
  EventWatch& watch = now_.here->watch;
  double noise = watch.rate_rounding(now_.t, now_.x, velocity, event);
  for (const Displacement& one : displacements) {
    const double t = now_.t + one.dt;
    const Vector x = now_.x + one.dx;
    Vector there(now_.x.size());
    try {
      ode.velocity(t, x, there);
    } catch (const std::exception&) {
      // A neighbour beyond the end of a domain, as of a root, tells nothing.
      continue;
    }
    const double difference = std::abs(watch.rate(t, x, there, event) - rate);
    if (std::isfinite(difference)) noise += difference;
  }
  return noise;
}

double EventMotion::noise_of_rate(Index event, double rate, ConstVectorRef velocity, ModeOde& ode) {
  return noise_of_rate(event, rate, velocity, points_not_told_apart(true), ode);
}

int EventMotion::motion_of(Index event, bool exact, ModeOde& ode) {
  EventWatch& watch = now_.here->watch;
  Vector velocity(now_.x.size());
  ode.velocity(now_.t, now_.x, velocity);
  const std::vector<Displacement> displacements = points_not_told_apart(exact);
  // A rate that no point near turns round decides; the guard itself counts as zero.
  const double rate = watch.rate(now_.t, now_.x, velocity, event);
  const double noise = noise_of_rate(event, rate, velocity, displacements, ode);
  if (std::abs(rate) > noise) return now_.here->guards.side(event) * rate > 0 ? 1 : -1;
  const GuardMotion motion{
      .velocity = [&](double t, ConstVectorRef x, VectorRef dx) { ode.velocity(t, x, dx); },
      .guard = [&](double t, ConstVectorRef x) { return now_.here->event_value(t, x, event); },
      .t = now_.t,
      .x = now_.x};
  // No state changes noticeably sooner than in this time.
  const double left = now_.run.end - now_.t;
  const double fastest = now_.options.rtol * velocity.cwiseProduct(now_.weights).lpNorm<Eigen::Infinity>();
  const double scale = fastest * left > 1 ? 1 / fastest : left;
  const TimesToLookAt times{std::max(kSoonestLook * scale, 2 * location_accuracy(now_.t, 0)),
                            kLatestLook * left};
  const double rounding = kZeroFactor * watch.rounding_of_errors(now_.t, now_.x, event, now_.weights);
  return first_motion(motion, displacements, rounding, times);
}

// A reset whose states are not known is judged by what it has changed.
bool EventMotion::sets_its_guard(Index event) const {
  const Watched& watched = now_.here->watch[event];
  const std::optional<GuardShape> shape = watched.when.shape(now_.x.size());
  if (watched.kind != WatchedKind::reset || !shape) return false;
  const std::vector<Index>& sets = watched.delay.sets;
  return std::any_of(shape->states.begin(), shape->states.end(), [&](Index j) {
    if (!sets.empty()) return std::find(sets.begin(), sets.end(), j) != sets.end();
    return instant_.before.size() == now_.x.size() && instant_.before[j] != now_.x[j];
  });
}

// A guard that a jump has led to zero from its own side, and the guard of a location that is entered, have come to hold there.
bool EventMotion::comes_to_rest(Index event) {
  const Watched& watched = now_.here->watch[event];
  const GuardRow before = now_.here->guards.event(event);
  const AtZero at_zero = now_.here->watch.at_zero(now_.t, now_.x, event);
  now_.here->guards.rest(event, at_zero);
  if (at_zero != AtZero::holds || before.fired_at_zero || before.waits) return false;
  if (instant_.at_start && instant_.round == 0 && watched.initially == Initially::wait) return false;
  const bool is_entered = watched.kind == WatchedKind::edge && watched.across_jumps;
  const bool fires_at_start = instant_.at_start && watched.initially == Initially::fire;
  return is_entered || fires_at_start || (before.waiting == Waiting::yes && watched.across_jumps);
}

bool EventMotion::held_before(Index event) const {
  const EventWatch& watch = now_.here->watch;
  if (instant_.at_start || watch[event].kind == WatchedKind::edge) return false;
  return now_.here->guards.event(event).waiting == Waiting::no &&
         watch.at_zero(now_.t, now_.x, event) == AtZero::holds;
}

std::vector<Index> EventMotion::events_leaving_rest() {
  std::vector<Index> due;
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; e < watch.size(); ++e) {
    const GuardRow& row = guards.event(e);
    if (!watch[e].is_condition() || row.armed || now_.is_part_of_limit(e)) continue;
    if (std::abs(now_.here->event_value(now_.t, now_.x, e)) > zero_level(e) + row.noise) continue;
    ModeOde& ode = now_.asked();
    const bool rested = row.rests;
    // The state lies on a guard that fired here: errors of the run do not move that guard, and it leaves zero as it is seen to.
    const int motion = arming_.is_held(e, ode) ? 0 : motion_of(e, row.fired_at_zero, ode);
    if (motion == 0) guards.rest(e, watch.at_zero(now_.t, now_.x, e));
    if (motion != 0) guards.set_rests(e, false);
    if (motion < 0 && rested) due.push_back(e);
  }
  return due;
}

// Judges the guards that are zero, once the motion is known; the others are prepared for the march.
std::vector<Index> EventMotion::events_moving_through_zero() {
  std::vector<Index> due;
  left_at_zero_.clear();
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  if (watch.size() == 0) return due;
  ModeOde& ode = now_.asked();
  for (Index e = 0; e < watch.size(); ++e) {
    const bool any = watch[e].direction == Direction::any;
    const bool is_condition = watch[e].is_condition();
    // The remainder of a guard where its event was located is no way that is still to go.
    const bool keeps_noise = guards.event(e).rests || guards.event(e).fired_at_zero;
    const double noise = keeps_noise ? guards.event(e).noise : 0;
    guards.look_anew(e);
    if (now_.is_part_of_limit(e)) continue;
    const double value = now_.here->event_value(now_.t, now_.x, e);
    const double zero = zero_level(e) + noise;
    if (std::abs(value) > zero) {
      guards.set_rests(e, false);
      if (any && value < 0) guards.turn(e);
      continue;
    }
    // Its rate is rounding, too.
    guards.set_held(e, arming_.is_held(e, ode));
    if (guards.event(e).held) {
      if (is_condition && comes_to_rest(e)) due.push_back(e);
      continue;
    }
    const bool exact = watch[e].kind != WatchedKind::edge || instant_.moved;
    // The classification has said on which side the solution leaves the guard between two locations.
    const bool is_left = instant_.departed && instant_.departed == watch[e].when;
    const int motion = is_left ? 1 : motion_of(e, exact, ode);
    if (is_condition && motion == 0) {
      if (comes_to_rest(e)) due.push_back(e);
      if (!guards.event(e).rests) continue;
    } else {
      guards.set_rests(e, false);
    }
    const auto own_rate = [&] {
      velocity_.resize(now_.x.size());
      ode.velocity(now_.t, now_.x, velocity_);
      return guards.side(e) * watch.rate(now_.t, now_.x, velocity_, e);
    };
    const auto leaves_zero = [&] {
      return guards.event(e).fired_at_zero && watch[e].delay.time == 0 && sets_its_guard(e);
    };
    if (any) {
      // Its own side is the one that it has come to: it goes on.
      if (motion > 0 && leaves_zero() && own_rate() > 0) left_at_zero_.push_back(e);
      const bool may_fire = !guards.event(e).fired_at_zero && !guards.event(e).waits;
      // At the start of a run both directions are those of the event.
      const bool begins = instant_.at_start && watch[e].kind != WatchedKind::edge && motion != 0;
      // A jump has led it to zero from its own side, and the motion leads it on.
      const bool goes_on = exact && motion < 0 && guards.event(e).waiting == Waiting::yes;
      if (may_fire && (begins || goes_on)) due.push_back(e);
      if (motion < 0) guards.turn(e);
    } else if (motion < 0) {
      // A guard that goes on the way it crossed has been dealt with.
      const double rate = own_rate();
      const bool changes_nothing = watch[e].kind == WatchedKind::record;
      const bool went_on = (guards.event(e).fired_at_zero && (rate < 0 || changes_nothing)) ||
                           guards.event(e).waits || held_before(e);
      // Still on its own side, if only just: the march finds when it crosses.
      const bool is_ahead = !exact && !jumps_.has_fired_on(watch[e].when) &&
                            value > kZeroFactor * watch.rounding(now_.t, now_.x, e);
      if (!went_on && !is_ahead) due.push_back(e);
      if (went_on || !is_ahead) guards.set_noise(e, zero);
      if (rate < 0 && leaves_zero()) left_at_zero_.push_back(e);
      continue;
    }
    // An event that fired with another one a little before its own zero has that zero still ahead.
    const double ahead =
        std::abs(value) > kZeroFactor * watch.rounding(now_.t, now_.x, e) ? std::abs(value) : 0.0;
    // The state lies on a guard that it slid along or that fired here: the errors of the run do not move that guard.
    const bool is_on_guard = exact || is_left || jumps_.has_fired_on(watch[e].when);
    const double tolerance = is_on_guard ? watch.tolerance(now_.t, now_.x, e, now_.weights) : zero;
    guards.leave_event(e, ahead + kWrongWayFactor * tolerance, is_on_guard ? ahead : zero);
  }
  return due;
}

}  // namespace slideway
