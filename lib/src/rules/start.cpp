// ModeManager where a run begins: at a state whose mode has to be found, or in a mode that is given.

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "filippov/side_loops.hpp"
#include "rules/mode_manager.hpp"
#include "rules/surface_sides.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// is_contradicted() tells whether the field leads out of the mode at once: a relay that slides is beyond its bounds, a surface is crossed
// back, or a closed contact would have to pull. So it is where what the field reads, as an input, has changed since the mode was found.
bool is_contradicted(const RunState& now) {
  LocationTools& here = *now.here;
  ModeOde& ode = now.asked();
  Vector h(now.regime.mode().size()), exits(ode.guards()), velocity(now.x.size());
  try {
    here.evaluator.guards(now.t, now.x, h);
    ode.exit_guards(now.t, now.x, exits);
    ode.velocity(now.t, now.x, velocity);
  } catch (const std::exception&) {
    return false;
  }
  const Vector sizes = velocity.cwiseAbs();
  for (Index i = 0; i < h.size(); ++i) {
    if (now.regime.mode().slides_on(i)) {
      const double first = exits[ModeOde::first_slot(i)], second = exits[ModeOde::first_slot(i) + 1];
      // Both are negative where the surface repels, along which a solution may slide too.
      const double rounding = kRoundingFactor * kEpsilon * (std::abs(first) + std::abs(second));
      if (std::min(first, second) < -rounding && std::max(first, second) > rounding) return true;
    } else if (std::abs(h[i]) <= here.geometry.rounding(now.t, now.x, i)) {
      const double inwards =
          number_of(now.regime.mode()[i]) * here.evaluator.guard_rate(now.t, now.x, velocity, i);
      if (inwards < -kRoundingFactor * kEpsilon * here.geometry.rate_size(now.t, now.x, sizes, i))
        return true;
    }
  }
  if (!here.contacts) return false;
  double largest = 0;
  for (const Index c : now.regime.contacts.closed)
    largest = std::max(largest, std::abs(exits[ode.contact_slot(c)]));
  const std::vector<Index>& closed = now.regime.contacts.closed;
  return std::any_of(closed.begin(), closed.end(), [&](Index c) {
    return exits[ode.contact_slot(c)] < -kRoundingFactor * kEpsilon * largest;
  });
}

}  // namespace

bool ModeManager::start() {
  now_.here->stepper->error_weights(now_.x, now_.weights);
  log_.solution().initial = {now_.t, now_.word(), now_.x, now_.here->name};
  // Guards that the callback does not set stay not-a-number.
  Vector h = Vector::Constant(now_.here->system.surfaces(), kNotANumber);
  now_.here->evaluator.guards(now_.t, now_.x, h);
  if (!all_finite(h)) {
    for (Index i = 0; i < h.size(); ++i)
      now_.regime.set(i, now_.run.mode ? (*now_.run.mode)[i] : h[i] < 0 ? Side::minus : Side::plus);
    const Index needed = needed_without_value(now_, now_.regime.mode(), h);
    if (needed >= 0) {
      log_.finish(Status::user_function_failed,
                  "the guard of surface '" + now_.surface_name(needed) + "' is not finite (" +
                      number_text(h[needed]) + ") at the start, t = " + number_text(now_.t) +
                      "; start where it is, or write it so that it is everywhere, "
                      "as (x^2)^0.3 for the root x^0.6" +
                      (std::isnan(h[needed]) ? "; or was it never set?" : ""));
      return false;
    }
  }
  const Index unset = derivative_never_set(now_, h);
  if (unset >= 0) {
    log_.finish(Status::user_function_failed,
                "the field does not set the derivative of '" +
                    now_.here->system.state_names()[static_cast<std::size_t>(unset)] +
                    "' at t = " + number_text(now_.t) +
                    ": every element of dx must be set, and what it holds before means nothing");
    return false;
  }
  begin_instant(true);
  // The engine may go on from where another one has fired them.
  now_.here->guards.wait_where_spent();
  if (now_.run.mode) {
    begin_in(*now_.run.mode);
    if (now_.regime.in_second_order() || !is_contradicted(now_)) return true;
    // The mode is found anew, and no event fires again.
    instant_.open_records(true);
    const bool is_found = settle_mode();
    if (is_found) take_initial_mode();
    records_.publish();
    if (is_found) motion_.events_moving_through_zero();
    return is_found;
  }
  std::vector<EventRecord>& records = instant_.open_records(true);
  waiting_.look_at_waiting();
  const bool goes_on = firing_.fire_at_start(records) && settle();
  for (EventRecord& record : records) {
    if (goes_on && !record.to) record.to = now_.word();
  }
  // A jump at the start comes after the state that was given; a choice of what follows does not.
  const bool jumped = std::any_of(records.begin(), records.end(), [](const EventRecord& record) {
    return record.kind == EventKind::reset || record.kind == EventKind::sample ||
           record.kind == EventKind::transition || record.kind == EventKind::impact ||
           record.kind == EventKind::contact;
  });
  if (!jumped) take_initial_mode();
  records_.publish();
  return goes_on;
}

// take_initial_mode() takes, between two locations, the one in which the solution goes on.
void ModeManager::take_initial_mode() {
  log_.solution().initial.mode = now_.word();
  log_.solution().initial.location = now_.here->name;
}

std::vector<FiredGuard> ModeManager::fired_guards() {
  std::vector<FiredGuard> fired;
  const EventWatch& watch = now_.here->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    if (!now_.here->guards.event(e).fired_at_zero || !waiting_.is_zero(e)) continue;
    const bool is_edge = watch[e].kind == WatchedKind::edge;
    fired.push_back({.is_edge = is_edge,
                     .of = is_edge ? watch[e].edge : watch[e].event,
                     .near_zero = waiting_.zero_level(e)});
  }
  return fired;
}

void ModeManager::take_fired(const std::vector<FiredGuard>& fired) {
  const EventWatch& watch = now_.here->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    const bool is_edge = watch[e].kind == WatchedKind::edge;
    const std::size_t of = is_edge ? watch[e].edge : watch[e].event;
    for (const FiredGuard& one : fired) {
      if (one.is_edge != is_edge || one.of != of) continue;
      now_.here->guards.set_fired_at_zero(e, true);
      jumps_.note_zero(watch[e].when, one.near_zero);
    }
  }
}

// Takes a continuation as it is: nothing is classified here.
void ModeManager::begin_in(const Mode& mode) {
  const Index surfaces = now_.regime.mode().size();
  Vector h(surfaces);
  now_.here->evaluator.guards(now_.t, now_.x, h);
  for (Index i = 0; i < surfaces; ++i) {
    now_.regime.set(i, mode[i]);
    if (mode[i] == Side::sliding || std::abs(h[i]) <= now_.here->geometry.rounding(now_.t, now_.x, i))
      now_.here->guards.leave_surface(i);
  }
  // A continuation that leaves what it slid on.
  if (now_.regime.in_pair() && !now_.regime.mode().slides_on(surfaces - 1)) firing_.leave_pair(nullptr);
  if (now_.here->contacts) {
    now_.regime.contacts = now_.here->contacts->modes_in(mode, surfaces);
    now_.here->contacts->find_directions(now_.t, now_.x, now_.regime.lambda(), now_.regime.contacts,
                                         now_.impact_noise);
    now_.here->guards.leave_contacts(touching_contacts(now_, instant_.was_reset));
  }
  now_.regime.since = now_.t;
  std::vector<Index> sliding;
  now_.regime.mode().list_sliding(sliding);
  stay(second_order_rules_.begins(sliding, sliding));
  take_initial_mode();
  take_fired(now_.run.fired);
  waiting_.look_at_waiting();
  // Guards that are zero here have had their part in the run before, or are pending.
  for (Index e = 0; e < now_.here->watch.size(); ++e)
    if (waiting_.is_zero(e)) now_.here->guards.set_fired_at_zero(e, true);
  motion_.events_moving_through_zero();
}

}  // namespace slideway
