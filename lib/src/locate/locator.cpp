#include "locate/locator.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/constants.hpp"
#include "simulate/precision.hpp"

namespace slideway {

Locator::Locator(RunState& now)
    : now_(now),
      sampler_(now, affine_),
      arming_(now, guard_values_, affine_, scanned_.poles),
      state_(Vector::Zero(now.x.size())) {}

void Locator::resize() {
  affine_ = nullptr;
  for (Vector* vector : {&guard_values_, &sampled_values_, &nudged_values_})
    *vector = Vector::Zero(now_.here->ode.guards());
}

void Locator::note_armed() {
  scanned_.armed_before = now_.here->scan.armed();
  if (affine_) affine_->write_armed(scanned_.armed_before);
}

void Locator::forget_what_arms_after(double t) {
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    const Index slot = now_.here->ode.event_slot(e);
    if (!guards.event(e).armed || scanned_.armed_before[static_cast<std::size_t>(slot)] != 0) continue;
    if (!(now_.here->event_value(t, now_.x, e) > guards.arm_above()[slot])) guards.see(e, false);
  }
}

void Locator::begin_mode(bool same_stepper, bool retakes) {
  ModeOde& ode = now_.here->ode;
  ode.exit_guards(now_.t, now_.x, guard_values_);
  affine_ = now_.here->affine_scan && !now_.dense_output_drifts() ? &*now_.here->affine_scan : nullptr;
  if (affine_) affine_->begin(now_.regime.mode(), ode.exit_sign());
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; retakes && e < now_.here->watch.size(); ++e)
    guards.see(e, scanned_.armed_before[static_cast<std::size_t>(ode.event_slot(e))] != 0);
  arming_.start(same_stepper);
  // The arming tells how much of a slip is unseen, which is part of its guard.
  if (ode.plane_frictions() > 0) ode.exit_guards(now_.t, now_.x, guard_values_);
  for (Index slot = 0; retakes && slot < ode.guards(); ++slot)
    if (scanned_.armed_before[static_cast<std::size_t>(slot)] != 0) guards.keep_armed(slot);
  guards.forget_return_at_once();
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
  for (Index i = 0; i < now_.regime.mode().size(); ++i) {
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
    if (!sampler_.is_armed(slot)) continue;
    now_.here->guards.keep_armed(slot);
    scanned_.armed_at_record[static_cast<std::size_t>(slot)] = 1;
  }
  now_.here->guards.start_events();
  ode.exit_guards(now_.t, now_.x, guard_values_);
  arming_.start_events();
  ode.forget_samples();
  start_scans(kMarchRestart * (scanned_.poles.empty() ? now_.here->scan.march_step() : scanned_.march_step));
}

bool Locator::marches_exits_only() const {
  const auto sliding = static_cast<Index>(now_.here->ode.field().sliding().size());
  return !now_.here->scan.idle() && now_.here->ode.guards() == 2 * now_.regime.mode().size() &&
         (affine_ || sliding == now_.regime.mode().size());
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

bool Locator::passes_to(double end) {
  if (affine_ && !affine_->idle() && !affine_->stays(*now_.stepper, scanned_.until, end)) return false;
  if (!now_.here->scan.idle() && !slides_on_to(end)) return false;
  scanned_.until = end;
  scanned_.joint.found = false;
  return true;
}

// The stages tell it of a step that is no longer than twice of what has been looked at, as in march().
bool Locator::slides_on_to(double end) {
  GuardScan& scan = now_.here->scan;
  ModeOde& ode = now_.here->ode;
  const double interval = end - scan.last_time();
  if (!scan.all_armed() || !now_.stepper->stages_span_step() || !(interval <= 2 * scanned_.march_step) ||
      ode.has_changing_effects() || !ode.slides_on_until(end))
    return false;
  scanned_.march_step = std::max(scanned_.march_step, interval);
  if (!ode.exits_at_stage(end, sampled_values_)) sampler_.sample(end, sampled_values_);
  scan.pass(end, sampled_values_);
  return true;
}

const Arrival& Locator::march(double limit, double end) {
  GuardScan& scan = now_.here->scan;
  ModeOde& ode = now_.here->ode;
  const auto has_gone_at_sample = [&] {
    const std::vector<char>& armed = scan.armed();
    for (std::size_t slot = 0; slot < armed.size(); ++slot) {
      if (armed[slot] != 0 && sampled_values_[static_cast<Index>(slot)] < 0) return true;
    }
    return false;
  };
  const double interval = limit - scan.last_time();
  // A step may be very long where the state stands still, and its stages too far apart for the exits. It is
  // trusted, like a step of the march, with no more than twice of what has been looked at.
  if (!scan.idle() && scan.all_armed() && now_.stepper->stages_span_step() &&
      interval <= 2 * scanned_.march_step) {
    // The stages may show that there is nothing to march for, or nothing but what has gone at the limit.
    const bool changes = ode.has_changing_effects();
    bool passes = ode.slides_on_until(limit);
    // Another guard may reach zero within the step while an exit guard is below zero between two stages, as in a peak of
    // friction where slip ends. The exits are therefore sampled there as well.
    const bool is_within = limit < end;
    if (ode.watches_stages() && (changes ? passes : !passes || is_within))
      sampler_.sample(limit, sampled_values_);
    if (changes) passes = passes && ode.effects_hold(sampled_values_);
    const bool is_unseen = passes && is_within && has_gone_at_sample();
    if (is_unseen) passes = false;
    if (passes || (!changes && !is_unseen && ode.stops_once_until(limit, sampled_values_))) {
      scanned_.march_step = std::max(scanned_.march_step, interval);
      if (!passes) return scan.advance_at_once(limit, sampler_);
      if (is_within) return scan.nothing();
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
    // The scan of affine guards has looked beyond the arrival, at a motion that does not take place.
    if (scanned_.joint.found) affine.forget_arming();
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
  const auto counts = [&](Index slot) { return affine_->watches(slot) && sampler_.is_armed(slot); };
  Vector h(now_.regime.mode().size());
  now_.here->evaluator.guards(now_.t, now_.x, h);
  for (Index i = 0; i < now_.regime.mode().size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (now_.regime.mode().slides_on(i) || !counts(slot)) continue;
    const double side = now_.regime.mode()[i] == Side::minus ? -1 : 1;
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
    if (!sampler_.is_armed(slot) && !was_armed) continue;
    const double rate = (values[slot] - earlier[slot]) / (end - before);
    if (rate < 0 && values[slot] <= -rate * location_accuracy(end, end - before)) {
      slots[static_cast<std::size_t>(slot)] = 1;
      any = true;
    }
  }
  return any;
}

}  // namespace slideway
