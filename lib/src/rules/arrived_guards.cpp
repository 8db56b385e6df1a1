#include "rules/arrived_guards.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string_view>

#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

Arrivals& ArrivedGuards::gather(const std::vector<char>& slots, const std::vector<Index>& ending) {
  Arrivals& arrivals = arrivals_;
  arrivals.clear();
  slots_ = &slots;
  ModeOde& ode = now_.here->ode;
  const auto arrived = [&](Index slot) { return slots[static_cast<std::size_t>(slot)] != 0; };
  const std::string_view all(slots.data(), slots.size());
  for (std::size_t slot = all.find(char{1}); slot != std::string_view::npos;
       slot = all.find(char{1}, slot + 1))
    arrivals.slots.push_back(static_cast<Index>(slot));
  const std::string_view of_surfaces(
      slots.data(), static_cast<std::size_t>(ModeOde::first_slot(now_.regime.mode().size())));
  for (std::size_t next = 0; (next = of_surfaces.find(char{1}, next)) != std::string_view::npos;) {
    const Index i = static_cast<Index>(next) / 2;
    const Index slot = ModeOde::first_slot(i);
    next = static_cast<std::size_t>(ModeOde::first_slot(i + 1));
    Met met{.surface = i, .away = now_.here->guards.away(i, now_.t)};
    if (now_.regime.mode().slides_on(i)) {
      met.minus_vanishes = arrived(slot);
      met.plus_vanishes = arrived(slot + 1);
    }
    arrivals.meeting.met.push_back(met);
  }
  if (now_.here->contacts) {
    const std::vector<Index>& closed = now_.regime.contacts.closed;
    for (Index c = 0; c < now_.here->contacts->contacts(); ++c) {
      if (!arrived(ode.contact_slot(c))) continue;
      (contains(closed, c) ? arrivals.releases : arrivals.hits).push_back(c);
    }
    for (Index k = 0; k < ode.plane_frictions(); ++k) {
      if (arrived(ode.stick_slip_slot(k)) || arrived(ode.begin_slot(k)))
        arrivals.stick_slip.push_back(now_.here->contacts->cones()[static_cast<std::size_t>(k)]);
    }
  }
  EventWatch& watch = now_.here->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    const Index slot = ode.event_slot(e);
    now_.here->guards.see(e, locator_.is_armed(slot));
    if (arrived(slot) && !now_.here->guards.event(e).undecided) arrivals.list(watch[e].kind).push_back(e);
  }
  for (const Index i : ending)
    arrivals.meeting.met.push_back({.surface = i, .away = now_.here->guards.away(i, now_.t)});
  for (const Index i : ending) arrivals.slots.push_back(ModeOde::first_slot(i));
  arrivals.meeting.root_ends = !ending.empty();
  arrivals.with_value_again = ode.without_value();
  return arrivals;
}

void ArrivedGuards::take_sides() {
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    const bool arrives = (*slots_)[static_cast<std::size_t>(now_.here->ode.event_slot(e))] != 0;
    if (arrives && guards.event(e).undecided) guards.take_other_side(e);
  }
}

void ArrivedGuards::find_arrival_velocity() {
  Vector& dx = velocity_;
  dx.resize(now_.x.size());
  const double before = now_.t - kPartOfStep * now_.stepper->last_step_size();
  try {
    now_.here->ode.velocity(now_.t, now_.x, dx);
  } catch (const std::exception&) {
    if (!(before < now_.t)) throw;
    now_.stepper->evaluate(before, dx);
    dx = (now_.x - dx) / (now_.t - before);
  }
}

void ArrivedGuards::add_simultaneous() {
  EventWatch& watch = now_.here->watch;
  const double accuracy = location_accuracy(now_.t, now_.stepper->last_step_size());
  bool has_velocity = false;
  for (Index e = 0; e < watch.size(); ++e) {
    std::vector<Index>& list = arrivals_.list(watch[e].kind);
    if (!now_.here->guards.event(e).armed || contains(list, e)) continue;
    if (!has_velocity) find_arrival_velocity();
    has_velocity = true;
    const double rate = now_.here->guards.side(e) * watch.rate(now_.t, now_.x, velocity_, e);
    if (!(rate < 0) || !(now_.here->event_value(now_.t, now_.x, e) <=
                         -rate * accuracy + kZeroFactor * watch.rounding(now_.t, now_.x, e)))
      continue;
    list.push_back(e);
    std::sort(list.begin(), list.end());
  }
}

void ArrivedGuards::cross(const std::vector<Index>& events) {
  EventWatch& watch = now_.here->watch;
  if (events.empty()) return;
  find_arrival_velocity();
  const double accuracy = location_accuracy(now_.t, now_.stepper->last_step_size());
  for (const Index e : events) {
    const double rate = std::abs(watch.rate(now_.t, now_.x, velocity_, e));
    if (rate > 0) {
      arrivals_.blur = std::max(arrivals_.blur, watch.rounding(now_.t, now_.x, e) / rate);
      const double error =
          gathered_errors(now_.options.rtol) * watch.tolerance(now_.t, now_.x, e, now_.weights);
      arrivals_.error = std::max(arrivals_.error, error / rate);
    }
    // Drawn back onto its constraints the state need not be where the guard was seen to vanish. A guard that is farther off has jumped.
    const double left = std::abs(now_.here->event_value(now_.t, now_.x, e));
    const bool has_jumped = left > kFarFromErrors * watch.tolerance(now_.t, now_.x, e, now_.weights);
    const double noise = has_jumped ? rate * accuracy : std::max(rate * accuracy, left);
    const bool any = watch[e].direction == Direction::any;
    now_.here->guards.cross(e, noise, any ? watch.tolerance(now_.t, now_.x, e, now_.weights) : 0);
  }
}

void ArrivedGuards::note_due() {
  const double next = now_.agenda.schedule.next();
  if (!(next - now_.t <= location_accuracy(now_.t, 0)) || next > now_.run.end + time_rounding(now_.run.end))
    return;
  now_.t = std::clamp(next, now_.t, now_.run.end);
  arrivals_.is_due = true;
}

}  // namespace slideway
