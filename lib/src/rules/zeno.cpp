// ModeManager where resets and edges fire ever faster, and where contacts come to rest. A limit is jumped to when what is left of
// the time and of the motion is below the tolerances. Crossings that accumulate are in turns.cpp.

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "rules/contact_rest.hpp"
#include "rules/limit_checks.hpp"
#include "rules/mode_manager.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

void ModeManager::skip_to(double t, const Vector& x) {
  if (now_.options.recording == Recording::dense && t > now_.t) {
    Matrix line(x.size(), 2);
    line << now_.x, x - now_.x;
    log_.solution().trajectory.begin_segment(now_.t, now_.word(), now_.here->name);
    log_.solution().trajectory.add_step(now_.t, t, now_.t, t - now_.t, line);
  }
  now_.t = t;
  now_.x = x;
}

bool ModeManager::after_jump() {
  EventSeries& jumps = history_.jumps;
  note_jump(jumps, now_.t, jumps_, instant_.before, now_.x, last_jump_.accuracy(),
            jumps_.zero_guards.empty() ? 0 : arrived_.arrivals().error);
  std::optional<Accumulation> accumulation = limit_of(jumps.events(), kTurnsOfJumps);
  const std::optional<Bounce> bounce = last_jump_.bounce();
  if (bounce && bounce->is_hidden && !(bounce->ratio < 1)) return finish_unresolved(*bounce);
  if (bounce && bounce->is_low) now_.restart.expect(bounce->flight);
  if (!accumulation && bounce && bounce->is_hidden) {
    accumulation.emplace();
    accumulation->period = 1;
    accumulation->ids = {jumps_.id};
    accumulation->ratio = bounce->ratio;
  }
  if (!accumulation) return true;
  if (bounce && bounce->ratio < 1 && accumulation->period == 1) {
    accumulation->remaining = bounce->remaining;
    accumulation->error = bounce->error;
  }
  const bool cannot_go_on = (bounce && bounce->is_hidden) || accumulation->at_resolution ||
                            hardly_takes_time(now_, now_.restart.interval(), accumulation->remaining) ||
                            last_jump_.gaps_hardly_open();
  if (cannot_go_on) return come_to_limit(*accumulation);
  if (now_.t + accumulation->remaining >= now_.run.end) return true;
  const bool short_enough = accumulation->remaining <= now_.options.rtol * (now_.t - jumps.began());
  const bool invisible = short_enough && now_.errors.hide(accumulation->state - now_.x, jumps.scale());
  return invisible ? come_to_limit(*accumulation) : true;
}

bool ModeManager::finish_unresolved(const Bounce& bounce) {
  const std::string name = instant_.records.back().name.value_or("");
  log_.finish(Status::chattering,
              "the guard of " + (name.empty() ? std::string("a reset") : "'" + name + "'") +
                  " leaves zero by " + number_text(bounce.height) + " at t = " + number_text(now_.t) +
                  " before it comes back, which rounding hides, and it is not thrown back "
                  "more slowly than it came; " +
                  "measure the states from where the guard is zero, or stop the run there");
  return false;
}

bool ModeManager::come_to_limit(const Accumulation& accumulation) {
  const bool is_series = accumulation.state.size() > 0;
  JumpPart part =
      is_series ? part_of(history_.jumps.events(), accumulation) : part_of(jumps_, instant_.before, now_.x);
  std::vector<Index> seen;
  AccumulationLimit limit;
  limit.t = now_.t + accumulation.remaining;
  limit.members_as_shown = now_.word();
  limit.resting_location = jumps_.resting_location;
  EventRecord& record = limit.record;
  record = now_.begun(EventKind::zeno);
  // Errors of integration move the time at which the series began, and the speeds, on which the times of the flights depend.
  const double error = accumulation.error + history_.jumps.error_of_first() +
                       kRunErrors * now_.options.rtol * (limit.t - std::min(history_.jumps.began(), now_.t));
  limit.turns = reason::each_turn_takes(accumulation.ratio);
  limit.within = number_text(error);
  record.reason = reason::accumulate("events", accumulation.ratio) + reason::limit_within(error, limit.t);
  if (now_.tools.automaton().has_locations()) record.from_location = now_.here->name;
  // The guards are brought to zero where only locations change. Nothing tells which state of a guard that sees
  // several has to move.
  for (std::size_t k = 0; part.contacts.empty() && part.states.empty() && k < part.guards.size(); ++k) {
    const std::optional<GuardShape> shape = part.guards[k].shape(now_.x.size());
    if (shape && shape->states.size() == 1) seen.push_back(shape->states.front());
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  part.states.insert(part.states.end(), seen.begin(), seen.end());
  now_.x = limit_of_jumped(now_.x, instant_.before, history_.jumps, accumulation, part.states);
  history_.jumps.clear();
  now_.here->stepper->error_weights(now_.x, now_.weights);
  if (!part.contacts.empty()) return close_until(std::move(limit), part.contacts);
  limit.states = part.states;
  limit.guards = part.guards;
  // No step leads there where the clock shows about the same time; else the states that take no part are integrated to the limit.
  const bool is_now = accumulation.remaining <= location_accuracy(now_.t, 0);
  if (is_now) skip_to(std::min(limit.t, now_.run.end), now_.x);
  now_.agenda.limits.push_back(std::move(limit));
  return is_now ? end_held_limit() : true;
}

bool ModeManager::after_impact(const std::vector<Index>& hit, bool& came_to_rest) {
  ContactDynamics& contacts = *now_.here->contacts;
  history_.bounces.see(now_.x);
  // The log of a large system does not hold it; the state after the impact then says how large states are.
  const Vector& before = log_.solution().events.back().before;
  if (before.size() == now_.x.size()) history_.bounces.see(before);
  for (const Index c : hit) history_.bounces.note(now_.t, c);
  now_.mode.fill_lambda(now_.lambda);
  const auto hardly_rises = [&](Index c, double speed, double pressing) {
    return speed * speed / (2 * pressing) <= kHardlyOff * contacts.rounding(now_.t, now_.x, c);
  };
  for (const Index c : hit) {
    const double speed = contacts.rate(now_.t, now_.x, now_.lambda, c);
    if (!(speed > 0)) continue;
    const double interval = history_.bounces.interval(c);
    const double pressing = -contacts.acceleration(now_.t, now_.x, now_.lambda, c);
    const double low = kLowFlight * contacts.tolerance(now_.t, now_.x, c, now_.weights);
    if (pressing > 0 && speed * speed <= 2 * pressing * low) now_.restart.expect(2 * speed / pressing);
    const bool stops_unseen =
        now_.errors.hide(contacts.stopping_impulse(now_.t, now_.x, now_.lambda, c), history_.bounces.scale());
    const bool is_tiny =
        hardly_rises(c, speed, std::abs(pressing)) || interval <= kNoFlight * location_accuracy(now_.t, 0);
    if (!stops_unseen && !is_tiny) continue;

    // All that nobody sees closing, together; then alone.
    std::vector<Index> others;
    for (Index i = 0; i < contacts.contacts(); ++i) {
      if (i == c || contains(contacts.closed(), i)) continue;
      if (contacts.gap(now_.t, now_.x, i) > contacts.tolerance(now_.t, now_.x, i, now_.weights)) continue;
      if (is_tiny || now_.errors.hide(contacts.stopping_impulse(now_.t, now_.x, now_.lambda, i),
                                      history_.bounces.scale()))
        others.push_back(i);
    }
    for (const bool together : {true, false}) {
      if (together && others.empty()) continue;
      std::optional<Rest> rest = rest_of(now_, c, together ? others : std::vector<Index>());
      if (!rest) continue;
      const double undisturbed = time_to_disturbance(now_, *rest);
      const bool in_no_time = hardly_takes_time(now_, kInfinity, rest->most) && rest->most < undisturbed;
      const bool short_enough =
          rest->most <= now_.options.rtol * (now_.t - history_.bounces.began(c)) && rest->most < undisturbed;
      const bool unseen = now_.t + rest->most < now_.run.end && (short_enough || in_no_time) &&
                          now_.errors.hide(rest->state - now_.x, history_.bounces.scale());
      // Flights between several contacts that each closed alone would throw off the others for ever.
      const bool cannot_go_on =
          together ? is_tiny && in_no_time : is_tiny || hardly_takes_time(now_, interval, rest->remaining);
      if (!unseen && !cannot_go_on) continue;
      rest->remaining = std::min(rest->remaining, undisturbed);
      came_to_rest = true;
      return come_to_rest(*rest);
    }
  }
  return true;
}

bool ModeManager::come_to_rest(const Rest& rest) {
  AccumulationLimit limit;
  limit.t = now_.t + rest.remaining;
  limit.members_as_shown = now_.word();
  EventRecord& record = limit.record;
  record = now_.begun(EventKind::zeno);
  record.reason = reason::comes_to_rest(rest.remaining);
  for (const Index c : rest.contacts) history_.bounces.rest(limit.t, c);
  history_.bounces.see_nothing_but(now_.x);
  history_.jumps.clear();
  return close_until(std::move(limit), rest.contacts);
}

}  // namespace slideway
