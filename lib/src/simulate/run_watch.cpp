// RunEngine watching the guards along a step: from where they count, and the first of them that vanishes.

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "core/constants.hpp"
#include "core/copy_numbers.hpp"
#include "filippov/side_loops.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"
#include "slideway/core/state_errors.hpp"

namespace slideway {

namespace {

// A guard arms once it exceeds the rounding of its surface by this factor.
constexpr double kArmFactor = 4;
// A guard that errors of the state move by no more than this part of what they could is held by the constraints.
constexpr double kHeld = 1e-6;
// A surface that is met so often in a row without an event is not left by more than errors.
constexpr Index kVainReturns = 3;
// What two fields may differ by over a run, in tolerances, to be one.
constexpr double kNoDifference = 1e-3;

// The second slot of a surface that does not slide holds nothing to watch.
struct UsualThresholds {
  template <class Numbers>
  [[gnu::always_inline]] void operator()(const Numbers& side, const Numbers&, Numbers& first,
                                         Numbers& second) const {
    const Numbers zero{};
    first = zero;
    second = side != 0 ? zero + std::numeric_limits<double>::infinity() : zero;
  }
};

}  // namespace

// Guards of the surfaces of the last event start at zero: they arm once they are clearly on their side.
void RunEngine::set_thresholds() {
  ModeOde& ode = here_->ode;
  affine_ = here_->affine_scan && !dense_output_drifts() ? &*here_->affine_scan : nullptr;
  if (affine_) affine_->set_mode(mode_, ode.exit_sign());
  run_over_sides(ForSlotsOfSides<UsualThresholds>(), mode_, guard_values_.data(),
                 thresholds_.arm_above.data());
  thresholds_.arm_above.tail(thresholds_.arm_above.size() - 2 * mode_.size()).setZero();
  copy_numbers(thresholds_.arm_above, thresholds_.arrive_below);
  if (here_->watch.size() > 0) set_event_thresholds();
  if (ode.has_closed_contacts()) {
    held_ = held_by(here_->contacts->closed());
  } else {
    held_.clear();
  }
  for (const Index i : held_) thresholds_.ignore(ModeOde::first_slot(i));
  allowed_ = leaving_.surfaces;
  allowed_.insert(allowed_.end(), leaving_.earlier.begin(), leaving_.earlier.end());
  if (allowed_.empty() && leaving_.contacts.empty()) return;
  bool needs_nudge = ode.has_closed_contacts();
  for (const Index i : allowed_)
    needs_nudge =
        needs_nudge || (mode_.slides_on(i) && !(affine_ && affine_->watches(ModeOde::first_slot(i))));
  if (needs_nudge) {
    state_ = x_;
    add_errors(weights_, state_);
    ode.exit_guards(t_, state_, nudged_values_);
  }
  for (std::size_t k = 0; k < allowed_.size(); ++k) {
    const Index i = allowed_[k];
    const Index slot = ModeOde::first_slot(i);
    if (contains(held_, i)) continue;
    if (mode_.slides_on(i)) {
      const double scale = std::abs(guard_values_[slot]) + std::abs(guard_values_[slot + 1]);
      thresholds_.arm_above.segment(slot, 2).setConstant(16 * kEpsilon * scale);
      thresholds_.arrive_below.segment(slot, 2) = thresholds_.arm_above.segment(slot, 2);
      if (needs_nudge) {
        thresholds_.arrive_below.segment(slot, 2) +=
            kWrongWayFactor * (nudged_values_.segment(slot, 2) - guard_values_.segment(slot, 2)).cwiseAbs();
      } else {
        thresholds_.arrive_below.segment(slot, 2).array() +=
            kWrongWayFactor * affine_->exit_tolerance(i, weights_);
      }
    } else {
      const double rounding = here_->geometry.rounding(t_, x_, i);
      thresholds_.arm_above[slot] = kArmFactor * rounding;
      // Drawn back onto other surfaces, the state may be past this one by more than a step's errors.
      if (k < leaving_.surfaces.size()) {
        const double factor = leaving_.passes_by ? 2 * gathered_errors(options_.rtol) : kWrongWayFactor;
        leaving_.allowance[i] = std::max(0.0, -guard_values_[slot]) + kArmFactor * rounding +
                                factor * here_->geometry.tolerance(t_, x_, i, weights_);
      }
      // Events elsewhere do not add to what was allowed at its own.
      thresholds_.arrive_below[slot] = leaving_.allowance[i];
      // The errors of a motion far smaller than the tolerances bring it back for ever.
      if (leaving_.vain_returns() >= kVainReturns && makes_no_difference(i))
        thresholds_.arm_above[slot] = leaving_.allowance[i];
      // Where its gradient vanishes with it, errors do not show before it has been left.
      if (leaving_.returned_at_once && k < leaving_.surfaces.size()) {
        const double error = kWrongWayFactor * tolerance_a_step_on(i);
        if (error > leaving_.allowance[i])
          thresholds_.arm_above[slot] = thresholds_.arrive_below[slot] = error;
      }
    }
  }
  for (const Index c : leaving_.contacts) {
    const Index slot = ode.contact_slot(c);
    const auto& closed = here_->contacts->closed();
    if (std::find(closed.begin(), closed.end(), c) != closed.end()) {
      thresholds_.arm_above[slot] = 1e-9 * std::abs(guard_values_[slot]);
      thresholds_.arrive_below[slot] = thresholds_.arm_above[slot] +
                                       kWrongWayFactor * std::abs(nudged_values_[slot] - guard_values_[slot]);
    } else {
      const double rounding = here_->contacts->rounding(t_, x_, c);
      thresholds_.arm_above[slot] = kArmFactor * rounding;
      const double error = here_->contacts->tolerance(t_, x_, c, weights_);
      // Of a gap that stays zero by itself nothing is to be seen but errors.
      if (keeps_its_gap(c)) thresholds_.arm_above[slot] += kWrongWayFactor * error;
      thresholds_.arrive_below[slot] = kArmFactor * rounding + kWrongWayFactor * error;
    }
  }
}

// Whether the motion is the same on both sides of a surface for the rest of the run, as at a kink.
bool RunEngine::makes_no_difference(Index surface) {
  Vector lambda = lambda_;
  Vector above(x_.size());
  try {
    lambda[surface] = 1;
    here_->evaluator.field(t_, x_, lambda, above);
    lambda[surface] = -1;
    here_->evaluator.field(t_, x_, lambda, state_);
  } catch (const std::exception&) {
    return false;
  }
  state_ = (above - state_).cwiseProduct(weights_);
  return state_.allFinite() && state_.lpNorm<Eigen::Infinity>() * (run_.end - t_) <= kNoDifference;
}

double RunEngine::tolerance_a_step_on(Index surface) {
  const double end = t_ + stepper_->last_step_size();
  stepper_->evaluate(end, state_);
  return here_->geometry.tolerance(end, state_, surface, weights_);
}

// Whether the constraints hold the guard at zero, as the relay of a block that sticks does its velocity: errors of the state
// that are put back onto the constraints do not move it.
bool RunEngine::is_held(Index event) {
  if (!here_->ode.constrained()) return false;
  EventWatch& watch = here_->watch;
  const double value = watch.value(t_, x_, event);
  const double error = watch.tolerance(t_, x_, event, weights_);
  if (std::abs(value) > kWrongWayFactor * error) return false;
  state_ = x_;
  add_errors(weights_, state_);
  // No constraint holds a guard of the time alone.
  if (error == 0 && watch.value(t_, state_, event) == value) return false;
  try {
    here_->ode.project(t_, weights_, state_);
  } catch (const std::runtime_error&) {
    return false;
  }
  return std::abs(watch.value(t_, state_, event) - value) <=
         kHeld * error + kArmFactor * (watch.rounding(t_, x_, event) + 16 * kEpsilon * error);
}

// States that are drawn back onto constraints take part in the rounding of one another, in proportion to their errors.
double RunEngine::drawing_noise(Index event) {
  if (!here_->ode.constrained()) return 0;
  return kEpsilon * x_.cwiseProduct(weights_).lpNorm<Eigen::Infinity>() *
         here_->watch.tolerance(t_, x_, event, weights_);
}

// Where the state slides along the zero of the guard, its rounding is that of the state's error scale.
double RunEngine::event_rounding(Index event) {
  const double error = here_->watch.tolerance(t_, x_, event, weights_);
  return here_->watch.rounding(t_, x_, event) + 16 * kEpsilon * error + kArmFactor * drawing_noise(event);
}

double RunEngine::arming_level(Index event) {
  return kArmFactor * event_rounding(event) + here_->watch.noise(event);
}

void RunEngine::set_event_thresholds() {
  EventWatch& watch = here_->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    const Index slot = here_->ode.event_slot(e);
    if (!limits_.empty() && is_part_of_limit(e)) {
      thresholds_.ignore(slot);
      continue;
    }
    if (watch.armed(e)) continue;
    if (contains(scanned_.poles, slot)) {
      // Too large to be taken for zero, on whatever side it is.
      thresholds_.arm_above[slot] = 0;
      thresholds_.arrive_below[slot] = std::numeric_limits<double>::infinity();
      continue;
    }
    const double error = watch.tolerance(t_, x_, e, weights_);
    const double rounding = event_rounding(e);
    const bool was_held = watch.held(e);
    watch.set_held(e, is_held(e));
    const double clear = arming_level(e);
    if (watch.held(e)) {
      // What it shows is what is between two projections.
      thresholds_.arm_above[slot] = clear + gathered_errors(options_.rtol) * error;
      thresholds_.arrive_below[slot] = std::numeric_limits<double>::infinity();
      continue;
    }
    if (was_held && watch[e].direction == Direction::any) watch.set_undecided(e, true);
    if (watch.undecided(e)) {
      thresholds_.arm_above[slot] = thresholds_.arrive_below[slot] = clear + kWrongWayFactor * error;
      continue;
    }
    const double allowance = watch.allowance(e);
    if (guard_values_[slot] > clear && std::isinf(allowance)) continue;
    thresholds_.arm_above[slot] = clear;
    thresholds_.arrive_below[slot] = kArmFactor * rounding + allowance;
  }
}

bool RunEngine::is_armed(Index slot) const {
  if (affine_ && affine_->watches(slot)) return affine_->armed(slot);
  return here_->scan.armed()[static_cast<std::size_t>(slot)] != 0;
}

bool RunEngine::drifts() const {
  return stepper_ == here_->stepper.get() && !here_->can_project && here_->ode.constrained();
}

bool RunEngine::dense_output_drifts() const {
  return drifts() || (here_->ode.has_closed_contacts() && !here_->contacts->closed_are_affine());
}

bool RunEngine::marches_exits_only() const {
  const auto sliding = static_cast<Index>(here_->ode.field().sliding().size());
  return !here_->scan.idle() && here_->ode.guards() == 2 * mode_.size() &&
         (affine_ || sliding == mode_.size());
}

void RunEngine::start_scans(double march_step) {
  scanned_.until = t_;
  if (!affine_) {
    here_->scan.start(t_, guard_values_, thresholds_.arm_above, thresholds_.arrive_below, march_step);
    return;
  }
  AffineScan& affine = *affine_;
  for (Index e = 0; e < here_->watch.size(); ++e) {
    const Index slot = here_->ode.event_slot(e);
    if (affine.watches(slot)) affine.set_side(slot, here_->watch.side(e));
  }
  affine.start(guard_values_, thresholds_.arm_above, thresholds_.arrive_below);
  if (affine.watches_all()) {
    here_->scan.start_idle(t_, march_step);
    return;
  }
  march_thresholds_ = thresholds_;
  for (Index slot = 0; slot < thresholds_.arm_above.size(); ++slot) {
    if (affine.watches(slot)) march_thresholds_.ignore(slot);
  }
  here_->scan.start(t_, guard_values_, march_thresholds_.arm_above, march_thresholds_.arrive_below,
                    march_step);
}

void RunEngine::DenseGuards::sample(double t, VectorRef values) {
  LocationTools& tools = *engine_.here_;
  if (tools.ode.recall(t, values)) return;
  state_at(t);
  try {
    tools.ode.sample(t, engine_.state_, values);
  } catch (const std::exception&) {
    if (!mirror_what_is_hardly_left(t)) throw;
    tools.ode.sample(t, engine_.state_, values);
  }
}

// Of a surface that the solution has only just left errors may put it on the wrong side, where its field need not have a value:
// as far on the right side they are as large.
bool RunEngine::DenseGuards::mirror_what_is_hardly_left(double t) {
  LocationTools& tools = *engine_.here_;
  Vector h(engine_.mode_.size());
  tools.evaluator.guards(t, engine_.state_, h);
  bool any = false;
  for (Index i = 0; i < h.size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (engine_.mode_.slides_on(i) || engine_.is_armed(slot)) continue;
    const double beyond = -static_cast<double>(static_cast<signed char>(engine_.mode_[i])) * h[i];
    if (!(beyond > 0) || beyond > engine_.thresholds_.arrive_below[slot]) continue;
    any = tools.geometry.change_guard(t, i, -2 * h[i], engine_.weights_, engine_.state_) || any;
  }
  return any;
}

double RunEngine::DenseGuards::sample_one(double t, Index guard, VectorRef scratch) {
  LocationTools& tools = *engine_.here_;
  if (guard < tools.ode.event_slot(0)) return GuardSampler::sample_one(t, guard, scratch);
  if (tools.ode.recall(t, scratch)) return scratch[guard];
  state_at(t);
  return tools.ode.sample_event(t, engine_.state_, guard);
}

// Dense output leaves a curved surface, by errors that nothing controls, and one that the integrator leaves, by its drift; an event
// found there would not be one on the surface, nor would those that are simultaneous there be found at one time.
void RunEngine::DenseGuards::state_at(double t) {
  LocationTools& tools = *engine_.here_;
  engine_.stepper_->evaluate(t, engine_.state_);
  if (!engine_.dense_output_drifts() && (!tools.ode.slides() || tools.evaluator.guards_are_affine())) return;
  // The way back to the surface depends on the weights: they are those with which the state at an event is put there.
  engine_.here_->stepper->error_weights(engine_.state_, engine_.weights_);
  try {
    tools.ode.project(t, engine_.weights_, engine_.state_);
  } catch (const std::runtime_error&) {
    // Beyond the end of sliding there need be no point of the surfaces near; the guards still tell the way.
    engine_.stepper_->evaluate(t, engine_.state_);
  }
}

void RunEngine::DenseGuards::noise(double t, VectorRef values) {
  LocationTools& tools = *engine_.here_;
  state_at(t);
  tools.stepper->error_weights(engine_.state_, engine_.weights_);
  tools.ode.sample(t, engine_.state_, engine_.nudged_values_);
  engine_.nudged_state_ = engine_.state_;
  add_errors(engine_.weights_, engine_.nudged_state_);
  // Beyond a surface the guards need not have values: errors to the other side make as much noise. Where there are none either,
  // none is known.
  for (const bool last : {false, true}) {
    try {
      tools.ode.exit_guards(t, engine_.nudged_state_, values);
      break;
    } catch (const std::exception&) {
      if (last) {
        values.setZero();
        return;
      }
      engine_.nudged_state_ = 2 * engine_.state_ - engine_.nudged_state_;
    }
  }
  values = (values - engine_.nudged_values_).cwiseAbs();
}

// CVODE's root-finding says where locating begins: the step is certified up to there, and then to its end.
const Arrival& RunEngine::locate(double end) {
  const double accuracy = location_accuracy(scanned_.root, stepper_->last_step_size());
  // What vanishes with the root lies within the accuracy of it.
  const double limit = scanned_.root + 2 * accuracy;
  if (limit > t_ && limit < end) {
    const Arrival& arrival = first_arrival(limit);
    if (arrival.found) return arrival;
  }
  return first_arrival(end);
}

bool RunEngine::integrator_saw(double t, const std::vector<char>& slots) const {
  // Only the scan tells zeros apart that are nearer to each other than this part of a step.
  constexpr double kOneRoot = 0.01;
  if (!(std::abs(t - scanned_.root) <= kOneRoot * stepper_->last_step_size())) return false;
  const std::span<const int> roots = stepper_->roots();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const auto function = static_cast<int>(here_->ode.root_function(static_cast<Index>(slot)));
    if (slots[slot] != 0 && std::find(roots.begin(), roots.end(), function) != roots.end()) return true;
  }
  return false;
}

// Marches the guards along the step. Records on the way are noted: they change nothing, so the step is good to its end.
// scanned_.arrival is the first one that changes something, null when there is none; false when the run is over.
bool RunEngine::scan_step(double end) {
  ModeOde& ode = here_->ode;
  GuardScan& scan = here_->scan;
  while (true) {
    const Arrival& first = locate(end);
    scanned_.poles.clear();
    const Arrival& arrival = first.found && first.steep ? without_poles(first) : first;
    scanned_.arrival = arrival.found ? &arrival : nullptr;
    if (!arrival.found || here_->watch.size() == 0) return true;
    const Arrivals& arrivals = gather(arrival.guards);
    if (!arrivals.only_records() || passes_pole_of_surface()) return true;
    double before = t_;
    t_ = arrival.t;
    stepper_->evaluate(t_, x_);
    here_->stepper->error_weights(x_, weights_);
    project_state();
    if (!limits_.empty()) before = pass_limits(before, true);
    take_sides(arrival.guards);
    cross(arrivals.records);
    pass_poles_of_events();
    for (const Index e : arrivals.records) report(note(e, EventKind::record));
    if (integrator_saw(t_, arrival.guards)) ++solution_.statistics.integrator_roots;
    if (t_ > before) append_step(before, t_);
    if (too_many_events()) return false;
    scanned_.arrival = nullptr;
    if (!(t_ < end)) end = t_;
    // The guards of surfaces and contacts stay as they are, armed or not.
    scanned_.armed_at_record.assign(static_cast<std::size_t>(ode.event_slot(0)), 0);
    scanned_.record_t = t_;
    for (Index slot = 0; slot < ode.event_slot(0); ++slot) {
      if (!is_armed(slot)) continue;
      thresholds_.arm_above[slot] = thresholds_.arrive_below[slot] = 0;
      scanned_.armed_at_record[static_cast<std::size_t>(slot)] = 1;
    }
    thresholds_.arm_above.tail(here_->watch.size()).setZero();
    thresholds_.arrive_below.tail(here_->watch.size()).setZero();
    ode.exit_guards(t_, x_, guard_values_);
    set_event_thresholds();
    ode.forget_samples();
    start_scans((scanned_.poles.empty() ? scan.march_step() : scanned_.march_step) / 8);
    if (!(t_ < end)) return true;
  }
}

const Arrival& RunEngine::march(double limit, double end) {
  GuardScan& scan = here_->scan;
  ModeOde& ode = here_->ode;
  const double interval = limit - scan.last_time();
  // Where the state stands still a step may be as long as it likes, and its stages too far apart for the exits: like a step of
  // the march it is not trusted with more than twice of what has been looked at.
  if (!scan.idle() && scan.all_armed() && stepper_->stages_span_step() &&
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

const Arrival& RunEngine::first_arrival(double end) {
  GuardScan& scan = here_->scan;
  if (!affine_ || affine_->idle()) return march(end, end);
  AffineScan& affine = *affine_;
  const double from = scanned_.until;
  const AffineScan::FirstZero& zero = affine.advance(*stepper_, from, end);
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
    scanned_.joint.guards.assign(static_cast<std::size_t>(here_->ode.guards()), 0);
  }
  if (!zero.found || zero.t > scanned_.joint.t + location_accuracy(scanned_.joint.t, end - from)) {
    return scanned_.joint;
  }
  for (const Index slot : zero.slots) scanned_.joint.guards[static_cast<std::size_t>(slot)] = 1;
  return scanned_.joint;
}

// What is about to vanish where the integrator gets no further.
const Arrival& RunEngine::imminent_arrival() {
  const Arrival& marched = here_->scan.imminent();
  if (marched.found || !affine_) return marched;
  scanned_.joint.found = scanned_.joint.steep = false;
  scanned_.joint.t = t_;
  scanned_.joint.guards.assign(static_cast<std::size_t>(here_->ode.guards()), 0);
  try {
    here_->ode.velocity(t_, x_, state_);
  } catch (const std::exception&) {
    // The stepper says why it gets no further.
    return marched;
  }
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  const auto look_at = [&](Index slot, double value, double rate) {
    if (!(rate < 0) || !(value <= -rate * accuracy)) return;
    scanned_.joint.guards[static_cast<std::size_t>(slot)] = 1;
    scanned_.joint.found = true;
  };
  const auto counts = [&](Index slot) { return affine_->watches(slot) && is_armed(slot); };
  Vector h(mode_.size());
  here_->evaluator.guards(t_, x_, h);
  for (Index i = 0; i < mode_.size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (mode_.slides_on(i) || !counts(slot)) continue;
    const double side = mode_[i] == Side::minus ? -1 : 1;
    look_at(slot, side * h[i], side * here_->evaluator.guard_rate(t_, x_, state_, i));
  }
  for (Index e = 0; e < here_->watch.size(); ++e) {
    const Index slot = here_->ode.event_slot(e);
    if (!counts(slot)) continue;
    look_at(slot, here_->watch.value(t_, x_, e), here_->watch.side(e) * here_->watch.rate(t_, x_, state_, e));
  }
  return scanned_.joint;
}

// An event at the end time belongs to the run, on whichever side of the end the accuracy of location puts it. A guard
// that is off zero has not arrived, even where errors of the state could explain its value.
bool RunEngine::arrives_at_end(double end, std::vector<char>& slots) {
  const Index count = here_->ode.guards();
  if (count == 0) return false;
  // A last step may be too short to be told apart from a part of it.
  const double back = std::max(1e-3 * stepper_->last_step_size(), 8 * kEpsilon * std::abs(end));
  const double before = std::max(end - back, end - 0.5 * (end - run_.start));
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
