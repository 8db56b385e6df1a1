#include "locate/locator.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "core/constants.hpp"
#include "simulate/held_surfaces.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"
#include "slideway/core/state_errors.hpp"

namespace slideway {

Locator::Locator(RunState& now) : now_(now), sampler_(*this), state_(Vector::Zero(now.x.size())) {}

void Locator::resize() {
  affine_ = nullptr;
  for (Vector* vector : {&guard_values_, &sampled_values_, &nudged_values_})
    *vector = Vector::Zero(now_.here->ode.guards());
}

void Locator::begin_mode(bool same_stepper) {
  ModeOde& ode = now_.here->ode;
  ode.exit_guards(now_.t, now_.x, guard_values_);
  start_guards(same_stepper);
  now_.here->guards.forget_return_at_once();
  scanned_.poles.clear();
  const double duration = now_.run.end - now_.t;
  double first = kFirstMarch * (now_.run.end - now_.run.start);
  if (scanned_.march_step > 0) first = kMarchRestart * scanned_.march_step;
  start_scans(std::min(first, duration));
  ode.watch_roots(roots_without_events());
  if (marches_exits_only()) ode.watch_stages();
}

// Guards that cannot arm in this mode, or that constraints hold at zero: what they show is noise.
std::vector<Index> Locator::roots_without_events() const {
  const ModeOde& ode = now_.here->ode;
  const GuardTable& guards = now_.here->guards;
  std::vector<Index> functions;
  for (Index i = 0; i < now_.mode.size(); ++i) {
    if (guards.cannot_arm(ModeOde::first_slot(i))) functions.push_back(i);
  }
  for (Index slot = ode.contact_slot(0); slot < ode.guards(); ++slot) {
    const Index event = slot - ode.event_slot(0);
    if (guards.cannot_arm(slot) || (event >= 0 && guards.event(event).held))
      functions.push_back(ode.root_function(slot));
  }
  return functions;
}

void Locator::go_on_after_record() {
  ModeOde& ode = now_.here->ode;
  // The guards of surfaces and contacts stay as they are, armed or not.
  scanned_.armed_at_record.assign(static_cast<std::size_t>(ode.event_slot(0)), 0);
  scanned_.record_t = now_.t;
  for (Index slot = 0; slot < ode.event_slot(0); ++slot) {
    if (!is_armed(slot)) continue;
    now_.here->guards.keep_armed(slot);
    scanned_.armed_at_record[static_cast<std::size_t>(slot)] = 1;
  }
  now_.here->guards.start_events();
  ode.exit_guards(now_.t, now_.x, guard_values_);
  start_events();
  ode.forget_samples();
  start_scans(kMarchRestart * (scanned_.poles.empty() ? now_.here->scan.march_step() : scanned_.march_step));
}

// Guards of the surfaces of the last event start at zero: they arm once they are clearly on their side.
void Locator::start_guards(bool same_stepper) {
  GuardTable& guards = now_.here->guards;
  ModeOde& ode = now_.here->ode;
  affine_ = now_.here->affine_scan && !now_.dense_output_drifts() ? &*now_.here->affine_scan : nullptr;
  if (affine_) affine_->set_mode(now_.mode, ode.exit_sign());
  guards.start_slots(now_.mode);
  if (now_.here->watch.size() > 0) start_events();
  guards.hold_surfaces(ode.has_closed_contacts() ? held_by(now_, now_.here->contacts->closed())
                                                 : std::vector<Index>());
  if (!guards.leaves_any()) return;
  bool needs_nudge = ode.has_closed_contacts();
  guards.for_surfaces_left([&](Index i) {
    needs_nudge =
        needs_nudge || (now_.mode.slides_on(i) && !(affine_ && affine_->watches(ModeOde::first_slot(i))));
  });
  if (needs_nudge) {
    state_ = now_.x;
    add_errors(now_.weights, state_);
    ode.exit_guards(now_.t, state_, nudged_values_);
  }
  guards.for_surfaces_left([&](Index i) {
    if (contains(guards.held_surfaces(), i)) return;
    if (now_.mode.slides_on(i))
      start_exits(i, needs_nudge);
    else
      start_surface(i, same_stepper);
  });
  for (const Index c : guards.contacts_left()) {
    const Index slot = ode.contact_slot(c);
    if (contains(now_.here->contacts->closed(), c)) {
      guards.start_closed_contact(c, guard_values_[slot],
                                  std::abs(nudged_values_[slot] - guard_values_[slot]));
    } else {
      const double rounding = now_.here->contacts->rounding(now_.t, now_.x, c);
      const double error = now_.here->contacts->tolerance(now_.t, now_.x, c, now_.weights);
      guards.start_open_contact(c, guard_values_[slot], rounding, error, keeps_its_gap(now_, c));
    }
  }
}

void Locator::start_exits(Index surface, bool is_nudged) {
  const Index first = ModeOde::first_slot(surface);
  const double scale = std::abs(guard_values_[first]) + std::abs(guard_values_[first + 1]);
  const double known = is_nudged ? 0 : affine_->exit_tolerance(surface, now_.weights);
  for (const Index slot : {first, first + 1}) {
    const double error = is_nudged ? std::abs(nudged_values_[slot] - guard_values_[slot]) : known;
    now_.here->guards.start_exit(slot, scale, error);
  }
}

void Locator::start_surface(Index i, bool same_stepper) {
  GuardTable& guards = now_.here->guards;
  const bool is_last = guards.surface(i).left;
  const double rounding = now_.here->geometry.rounding(now_.t, now_.x, i);
  const double tolerance = is_last ? now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights) : 0;
  guards.start_surface(i, guard_values_[ModeOde::first_slot(i)], rounding, tolerance,
                       gathered_errors(now_.options.rtol));
  // The errors of a motion far smaller than the tolerances bring it back for ever.
  if (guards.vain_returns() >= kVainReturns && makes_no_difference(i)) guards.arm_beyond_allowance(i);
  // Where its gradient vanishes with it, errors do not show before it has been left.
  if (guards.returned_at_once() && same_stepper && is_last)
    guards.arm_beyond_error(i, kWrongWayFactor * tolerance_a_step_on(i));
}

// True if λ of the surface changes the states by less than a tolerance until the end of the run, as at a kink.
bool Locator::makes_no_difference(Index surface) {
  Vector lambda = now_.lambda;
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

double Locator::tolerance_a_step_on(Index surface) {
  const double end = now_.t + now_.stepper->last_step_size();
  now_.stepper->evaluate(end, state_);
  return now_.here->geometry.tolerance(end, state_, surface, now_.weights);
}

// True if the constraints keep the guard at zero, as friction keeps the velocity of a sticking block. The test shifts the state by
// its errors and projects it back onto the constraints: the guard must not move. Rounding hides the motion of a guard under a shift
// by errors of tight tolerances, so the shift is as many times larger as it takes.
bool Locator::is_held(Index event) {
  if (!now_.here->ode.constrained()) return false;
  EventWatch& watch = now_.here->watch;
  const double value = now_.here->event_value(now_.t, now_.x, event);
  const double error = watch.tolerance(now_.t, now_.x, event, now_.weights);
  if (std::abs(value) > kWrongWayFactor * error) return false;
  const double rounding = kZeroFactor * watch.rounding_of_errors(now_.t, now_.x, event, now_.weights);
  const double times = error > 0 ? std::max(1.0, rounding / (kHeldPart * error)) : 1.0;
  state_ = now_.x;
  add_errors(now_.weights / times, state_);
  // No constraint holds a guard of the time alone.
  if (error == 0 && now_.here->event_value(now_.t, state_, event) == value) return false;
  try {
    now_.here->ode.project(now_.t, now_.weights, state_);
  } catch (const std::runtime_error&) {
    return false;
  }
  return std::abs(now_.here->event_value(now_.t, state_, event) - value) <=
         kHeldPart * times * error + rounding;
}

// States that are drawn back onto constraints take part in the rounding of one another, in proportion to their errors.
double Locator::projection_noise(Index event) {
  if (!now_.here->ode.constrained()) return 0;
  return kEpsilon * now_.x.cwiseProduct(now_.weights).lpNorm<Eigen::Infinity>() *
         now_.here->watch.tolerance(now_.t, now_.x, event, now_.weights);
}

// Where the state slides along the zero of the guard, its rounding is that of the state's error scale.
double Locator::event_rounding(Index event) {
  return now_.here->watch.rounding_of_errors(now_.t, now_.x, event, now_.weights) +
         kZeroFactor * projection_noise(event);
}

double Locator::arming_level(Index event) {
  return kZeroFactor * event_rounding(event) + now_.here->guards.event(event).noise;
}

void Locator::start_events() {
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; e < watch.size(); ++e) {
    const Index slot = now_.here->ode.event_slot(e);
    if (!now_.agenda.limits.empty() && now_.is_part_of_limit(e)) {
      guards.ignore(slot);
    } else if (guards.event(e).armed) {
      continue;
    } else if (contains(scanned_.poles, slot)) {
      guards.start_behind_pole(e);
    } else {
      const GuardTable::EventSizes sizes{.value = guard_values_[slot],
                                         .rounding = event_rounding(e),
                                         .tolerance = watch.tolerance(now_.t, now_.x, e, now_.weights),
                                         .clear = arming_level(e)};
      guards.start_event(e, sizes, is_held(e), gathered_errors(now_.options.rtol));
    }
  }
}

bool Locator::is_armed(Index slot) const {
  if (affine_ && affine_->watches(slot)) return affine_->armed(slot);
  return now_.here->scan.armed()[static_cast<std::size_t>(slot)] != 0;
}

bool Locator::marches_exits_only() const {
  const auto sliding = static_cast<Index>(now_.here->ode.field().sliding().size());
  return !now_.here->scan.idle() && now_.here->ode.guards() == 2 * now_.mode.size() &&
         (affine_ || sliding == now_.mode.size());
}

void Locator::start_scans(double march_step) {
  const GuardTable& guards = now_.here->guards;
  scanned_.until = now_.t;
  if (!affine_) {
    now_.here->scan.start(now_.t, guard_values_, guards.arm_above(), guards.arrive_below(), march_step);
    return;
  }
  AffineScan& affine = *affine_;
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    const Index slot = now_.here->ode.event_slot(e);
    if (affine.watches(slot)) affine.set_side(slot, guards.side(e));
  }
  affine.start(guard_values_, guards.arm_above(), guards.arrive_below());
  if (affine.watches_all()) {
    now_.here->scan.start_idle(now_.t, march_step);
    return;
  }
  // The march has nothing to do with the guards that the other scan watches.
  nudged_values_ = guards.arm_above();
  sampled_values_ = guards.arrive_below();
  for (Index slot = 0; slot < guard_values_.size(); ++slot) {
    if (affine.watches(slot))
      nudged_values_[slot] = sampled_values_[slot] = std::numeric_limits<double>::infinity();
  }
  now_.here->scan.start(now_.t, guard_values_, nudged_values_, sampled_values_, march_step);
}

void Locator::DenseGuards::sample(double t, VectorRef values) {
  LocationTools& tools = *locator_.now_.here;
  if (tools.ode.recall(t, values)) return;
  state_at(t);
  try {
    tools.ode.sample(t, locator_.state_, values);
  } catch (const std::exception&) {
    if (!mirror_what_is_hardly_left(t)) throw;
    tools.ode.sample(t, locator_.state_, values);
  }
}

// Errors may put the state on the wrong side of a surface that the solution has just left, where the field may have no value. The
// function mirrors the state to the same distance on the right side, which changes it by no more than these errors.
bool Locator::DenseGuards::mirror_what_is_hardly_left(double t) {
  LocationTools& tools = *locator_.now_.here;
  Vector h(locator_.now_.mode.size());
  tools.evaluator.guards(t, locator_.state_, h);
  bool any = false;
  for (Index i = 0; i < h.size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (locator_.now_.mode.slides_on(i) || locator_.is_armed(slot)) continue;
    const double beyond = -static_cast<double>(static_cast<signed char>(locator_.now_.mode[i])) * h[i];
    if (!(beyond > 0) || beyond > tools.guards.arrive_below()[slot]) continue;
    any = tools.geometry.change_guard(t, i, -2 * h[i], locator_.now_.weights, locator_.state_) || any;
  }
  return any;
}

double Locator::DenseGuards::sample_one(double t, Index guard, VectorRef scratch) {
  LocationTools& tools = *locator_.now_.here;
  if (guard < tools.ode.event_slot(0)) return GuardSampler::sample_one(t, guard, scratch);
  if (tools.ode.recall(t, scratch)) return scratch[guard];
  state_at(t);
  return tools.ode.sample_event(t, locator_.state_, guard);
}

// Dense output leaves a curved surface, by errors that nothing controls, and one that the integrator leaves, by its drift; an event
// found there would not be one on the surface, nor would those that are simultaneous there be found at one time.
void Locator::DenseGuards::state_at(double t) {
  LocationTools& tools = *locator_.now_.here;
  locator_.now_.stepper->evaluate(t, locator_.state_);
  if (!locator_.now_.dense_output_drifts() && (!tools.ode.slides() || tools.evaluator.guards_are_affine()))
    return;
  // The way back to the surface depends on the weights: they are those with which the state at an event is put there.
  locator_.now_.here->stepper->error_weights(locator_.state_, locator_.now_.weights);
  try {
    tools.ode.project(t, locator_.now_.weights, locator_.state_);
  } catch (const std::runtime_error&) {
    // Beyond the end of sliding there need be no point of the surfaces near; the guards still tell the way.
    locator_.now_.stepper->evaluate(t, locator_.state_);
  }
}

void Locator::DenseGuards::noise(double t, VectorRef values) {
  LocationTools& tools = *locator_.now_.here;
  state_at(t);
  tools.stepper->error_weights(locator_.state_, locator_.now_.weights);
  tools.ode.sample(t, locator_.state_, locator_.nudged_values_);
  locator_.nudged_state_ = locator_.state_;
  add_errors(locator_.now_.weights, locator_.nudged_state_);
  // Beyond a surface the guards need not have values: errors to the other side make as much noise. Where there are none either,
  // none is known.
  for (const bool last : {false, true}) {
    try {
      tools.ode.exit_guards(t, locator_.nudged_state_, values);
      break;
    } catch (const std::exception&) {
      if (last) {
        values.setZero();
        return;
      }
      locator_.nudged_state_ = 2 * locator_.state_ - locator_.nudged_state_;
    }
  }
  values = (values - locator_.nudged_values_).cwiseAbs();
}

// CVODE's root-finding says where locating begins: the step is certified up to there, and then to its end.
const Arrival& Locator::locate(double end) {
  const double accuracy = location_accuracy(scanned_.root, now_.stepper->last_step_size());
  // Guards that vanish together with the root lie within its accuracy.
  const double limit = scanned_.root + 2 * accuracy;
  if (limit > now_.t && limit < end) {
    const Arrival& arrival = first_arrival(limit);
    if (arrival.found) return arrival;
  }
  return first_arrival(end);
}

bool Locator::integrator_saw(double t, const std::vector<char>& slots) const {
  if (!(std::abs(t - scanned_.root) <= kOneRoot * now_.stepper->last_step_size())) return false;
  const std::span<const int> roots = now_.stepper->roots();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const auto function = static_cast<int>(now_.here->ode.root_function(static_cast<Index>(slot)));
    if (slots[slot] != 0 && std::find(roots.begin(), roots.end(), function) != roots.end()) return true;
  }
  return false;
}

const Arrival& Locator::march(double limit, double end) {
  GuardScan& scan = now_.here->scan;
  ModeOde& ode = now_.here->ode;
  const double interval = limit - scan.last_time();
  // Where the state stands still a step may be as long as it likes, and its stages too far apart for the exits: like a step of
  // the march it is not trusted with more than twice of what has been looked at.
  if (!scan.idle() && scan.all_armed() && now_.stepper->stages_span_step() &&
      interval <= 2 * scanned_.march_step) {
    // The stages may show that there is nothing to march for, or nothing but what has gone at the limit.
    const bool changes = ode.has_changing_effects();
    bool passes = ode.slides_on_until(limit);
    if (ode.watches_stages() && (changes ? passes : !passes)) sampler_.sample(limit, sampled_values_);
    if (changes) passes = passes && ode.effects_hold(sampled_values_);
    if (passes || (!changes && ode.stops_once_until(limit, sampled_values_))) {
      scanned_.march_step = std::max(scanned_.march_step, interval);
      if (!passes) return scan.advance_at_once(limit, sampler_);
      if (limit < end) return scan.nothing();
      if (!changes && !ode.exits_at_stage(limit, sampled_values_)) sampler_.sample(limit, sampled_values_);
      return scan.pass(end, sampled_values_);
    }
  }
  const Arrival& arrival = scan.advance(limit, sampler_);
  if (!scan.idle()) scanned_.march_step = scan.march_step();
  return arrival;
}

const Arrival& Locator::first_arrival(double end) {
  GuardScan& scan = now_.here->scan;
  if (!affine_ || affine_->idle()) return march(end, end);
  AffineScan& affine = *affine_;
  const double from = scanned_.until;
  const AffineScan::FirstZero& zero = affine.advance(*now_.stepper, from, end);
  const double limit = zero.found ? zero.t : end;
  scanned_.joint.found = zero.found;
  scanned_.joint.steep = false;
  scanned_.joint.t = limit;
  scanned_.until = limit;
  if (!scan.idle()) {
    const Arrival& marched = march(limit, end);
    if (!zero.found && !marched.found) return marched;
    scanned_.joint.found = true;
    scanned_.joint.guards = marched.guards;
    if (marched.found) {
      scanned_.joint.t = marched.t;
      scanned_.joint.steep = marched.steep;
      affine.forget_arming();
    } else {
      std::fill(scanned_.joint.guards.begin(), scanned_.joint.guards.end(), char{0});
      if (scan.nearly_zero()) {
        const double just_after = limit + location_accuracy(limit, end - from);
        sampler_.sample(std::min(end, just_after), sampled_values_);
        for (Index slot = 0; slot < sampled_values_.size(); ++slot) {
          const auto at = static_cast<std::size_t>(slot);
          if (scan.armed()[at] != 0 && sampled_values_[slot] <= 0) scanned_.joint.guards[at] = 1;
        }
        // The accuracy may reach beyond the end.
        if (just_after > end) {
          const Arrival& imminent = scan.imminent();
          for (std::size_t at = 0; imminent.found && at < imminent.guards.size(); ++at)
            scanned_.joint.guards[at] = scanned_.joint.guards[at] != 0 || imminent.guards[at] != 0;
        }
      }
    }
  } else if (zero.found) {
    scanned_.joint.guards.assign(static_cast<std::size_t>(now_.here->ode.guards()), 0);
  }
  if (!zero.found || zero.t > scanned_.joint.t + location_accuracy(scanned_.joint.t, end - from)) {
    return scanned_.joint;
  }
  for (const Index slot : zero.slots) scanned_.joint.guards[static_cast<std::size_t>(slot)] = 1;
  return scanned_.joint;
}

// The guards that are about to vanish where the integrator gets no further.
const Arrival& Locator::imminent_arrival() {
  const Arrival& marched = now_.here->scan.imminent();
  if (marched.found || !affine_) return marched;
  scanned_.joint.found = scanned_.joint.steep = false;
  scanned_.joint.t = now_.t;
  scanned_.joint.guards.assign(static_cast<std::size_t>(now_.here->ode.guards()), 0);
  try {
    now_.here->ode.velocity(now_.t, now_.x, state_);
  } catch (const std::exception&) {
    // The stepper says why it gets no further.
    return marched;
  }
  const double accuracy = location_accuracy(now_.t, now_.stepper->last_step_size());
  const auto look_at = [&](Index slot, double value, double rate) {
    if (!(rate < 0) || !(value <= -rate * accuracy)) return;
    scanned_.joint.guards[static_cast<std::size_t>(slot)] = 1;
    scanned_.joint.found = true;
  };
  const auto counts = [&](Index slot) { return affine_->watches(slot) && is_armed(slot); };
  Vector h(now_.mode.size());
  now_.here->evaluator.guards(now_.t, now_.x, h);
  for (Index i = 0; i < now_.mode.size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (now_.mode.slides_on(i) || !counts(slot)) continue;
    const double side = now_.mode[i] == Side::minus ? -1 : 1;
    look_at(slot, side * h[i], side * now_.here->evaluator.guard_rate(now_.t, now_.x, state_, i));
  }
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    const Index slot = now_.here->ode.event_slot(e);
    if (!counts(slot)) continue;
    look_at(slot, now_.here->event_value(now_.t, now_.x, e),
            now_.here->guards.side(e) * now_.here->watch.rate(now_.t, now_.x, state_, e));
  }
  return scanned_.joint;
}

// An event at the end time belongs to the run, on whichever side of the end the accuracy of location puts it. A guard
// that is off zero has not arrived, even where errors of the state could explain its value.
bool Locator::arrives_at_end(double end, std::vector<char>& slots) {
  const Index count = now_.here->ode.guards();
  if (count == 0) return false;
  // A last step may be too short to be told apart from a part of it.
  const double back =
      std::max(kPartOfStep * now_.stepper->last_step_size(), kClockRounding * kEpsilon * std::abs(end));
  const double before = std::max(end - back, end - 0.5 * (end - now_.run.start));
  Vector values(count), earlier(count);
  sampler_.sample(end, values);
  sampler_.sample(before, earlier);
  slots.assign(static_cast<std::size_t>(count), 0);
  bool any = false;
  for (Index slot = 0; slot < count; ++slot) {
    // A record at the end starts the scans anew, where what vanishes with it is not armed.
    const bool was_armed = scanned_.record_t == end &&
                           static_cast<std::size_t>(slot) < scanned_.armed_at_record.size() &&
                           scanned_.armed_at_record[static_cast<std::size_t>(slot)] != 0;
    if (!is_armed(slot) && !was_armed) continue;
    const double rate = (values[slot] - earlier[slot]) / (end - before);
    if (rate < 0 && values[slot] <= -rate * location_accuracy(end, end - before)) {
      slots[static_cast<std::size_t>(slot)] = 1;
      any = true;
    }
  }
  return any;
}

}  // namespace slideway
