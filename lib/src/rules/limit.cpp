// ModeManager where jumps accumulate (limit_rules.hpp): between the last event of a series and the limit of the series.
//
// The members of the series are put at their limit at once: contacts are closed, surfaces are slid along, states that resets
// change are held at their limits. The others are integrated up to the limit with it, as over any other stretch, events included:
// over a turn, forces and relays do on average what they do at the limit. The log shows the limit at its time.

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "rules/limit_checks.hpp"
#include "rules/mode_manager.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool ModeManager::carry_out(LimitDecision&& decision) {
  if (decision.next.repeats) now_.restart.repeat(*decision.next.repeats);
  if (decision.next.in_fine_steps) now_.restart.take_fine_steps(true);
  if (decision.next.expected) now_.restart.expect(*decision.next.expected);
  if (!decision.limit) return true;
  return std::visit([&](auto& limit) { return carry_out(std::move(limit)); }, *decision.limit);
}

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

LimitDecision ModeManager::limit_after_impact() {
  bool begins = false;
  for (const Index c : jumps_.hit) begins = history_.bounces.note(now_.t, c) || begins;
  for (const Index c : jumps_.touching) {
    if (!contains(jumps_.hit, c) && !now_.regime.contacts.is_closed(c)) history_.bounces.open(now_.t, c);
  }
  if (begins) history_.bounces.forget_states();
  history_.bounces.see(now_.x);
  // The log of a large system does not hold it; the state after the impact then says how large states are.
  const Vector& before = log_.solution().events.back().before;
  if (before.size() == now_.x.size()) history_.bounces.see(before);
  return limit_rules_.after_impact(jumps_.hit, jumps_.touching);
}

LimitDecision ModeManager::limit_after_jump() {
  note_jump(history_.jumps, now_.t, jumps_, instant_.before, now_.x, limit_rules_.accuracy_of_jump(),
            jumps_.zero_guards.empty() ? 0 : arrived_.arrivals().error);
  return limit_rules_.after_jump();
}

bool ModeManager::carry_out(LimitOfJumps&& found) {
  const Accumulation& accumulation = found.accumulation;
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
  const Vector guards_before = surface_guards();
  now_.x = limit_of_jumped(now_.x, instant_.before, history_.jumps, accumulation, part.states);
  history_.jumps.clear();
  now_.here->stepper->error_weights(now_.x, now_.weights);
  if (!part.contacts.empty()) return close_until(std::move(limit), part.contacts, guards_before);
  limit.states = part.states;
  limit.guards = part.guards;
  // No step leads there where the clock shows about the same time; else the states that take no part are integrated to the limit.
  const bool is_now = accumulation.remaining <= location_accuracy(now_.t, 0);
  if (is_now) skip_to(std::min(limit.t, now_.run.end), now_.x);
  now_.agenda.limits.push_back(std::move(limit));
  return is_now ? end_held_limit() : true;
}

bool ModeManager::carry_out(Rest&& rest) {
  AccumulationLimit limit;
  limit.t = now_.t + rest.remaining;
  limit.members_as_shown = now_.word();
  EventRecord& record = limit.record;
  record = now_.begun(EventKind::zeno);
  record.reason = reason::comes_to_rest(rest.remaining);
  for (const Index c : rest.contacts) history_.bounces.rest(limit.t, c);
  history_.jumps.clear();
  return close_until(std::move(limit), rest.contacts, surface_guards());
}

bool ModeManager::close_until(AccumulationLimit&& limit, const std::vector<Index>& contacts,
                              const Vector& guards_before) {
  // Contacts that were closed before took part, but they do not come to rest here.
  std::vector<Index> closed = now_.regime.contacts.closed;
  for (const Index c : contacts) {
    if (contains(closed, c)) continue;
    now_.list(now_.regime.mode().size() + c, limit.record);
    limit.members.push_back(now_.regime.mode().size() + c);
  }
  if (!limit.record.surface_names.empty()) limit.record.name = limit.record.surface_names.front();
  closed.insert(closed.end(), contacts.begin(), contacts.end());
  std::sort(closed.begin(), closed.end());
  closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
  put_on_sliding();
  now_.here->contacts->project(now_.t, closed, now_.regime.lambda(), now_.regime.contacts, now_.weights,
                               now_.x);
  stop_slips(closed, guards_before);
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.here->guards.leave_contacts(closed);
  std::vector<EventRecord>& records = instant_.open_records(false);
  begin_instant(true);
  now_.agenda.limits.push_back(std::move(limit));
  const bool goes_on = settle();
  AccumulationLimit& kept = now_.agenda.limits.back();
  kept.record.to = now_.as_shown(now_.regime.mode());
  if (!goes_on) {
    kept.record.t = now_.t;
    kept.record.after = now_.x;
    records.insert(records.begin(), std::move(kept.record));
    now_.agenda.limits.pop_back();
  }
  records_.publish();
  return goes_on;
}

// Impacts of contacts that stick in turn leave a slip where their speeds are stopped together. Friction stops it within the time of the
// series: a slip that is due to that stop for the most part ends with them.
void ModeManager::stop_slips(const std::vector<Index>& closed, const Vector& guards_before) {
  const ContactDynamics& contacts = *now_.here->contacts;
  Vector h = surface_guards();
  std::vector<Index> slips;
  for (const Index c : closed) {
    const std::optional<ContactFriction>& friction = contacts.contact(c).friction;
    if (!friction) continue;
    const Index i = friction->surface;
    if (std::abs(guards_before[i]) <= std::abs(h[i] - guards_before[i])) slips.push_back(i);
  }
  if (slips.empty()) return;
  std::sort(slips.begin(), slips.end());
  const Vector slipping = now_.x;
  const auto stands = [&](Index i) {
    return std::abs(h[i]) <= now_.here->geometry.projected(now_.t, now_.x, i, now_.weights);
  };
  // Slips and gaps disturb each other, less at each turn, until rounding is all that is left.
  for (double last = kInfinity;;) {
    now_.here->geometry.project(now_.t, slips, now_.weights, now_.x);
    if (!contacts.project(now_.t, closed, now_.regime.lambda(), now_.regime.contacts, now_.weights, now_.x))
      break;
    h = surface_guards();
    double largest = 0;
    for (const Index i : slips) largest = std::max(largest, std::abs(h[i]));
    if (largest > 0 && largest < last) {
      last = largest;
      continue;
    }
    if (std::all_of(slips.begin(), slips.end(), stands)) return;
    break;
  }
  now_.x = slipping;
}

// The stretch that was skipped did not end sliding elsewhere, so the state is put back onto it.
void ModeManager::put_on_sliding() {
  now_.regime.mode().list_sliding(on_surface_);
  if (!on_surface_.empty()) now_.here->geometry.project(now_.t, on_surface_, now_.weights, now_.x);
}

bool ModeManager::end_held_limit() {
  const auto first =
      std::min_element(now_.agenda.limits.begin(), now_.agenda.limits.end(),
                       [](const AccumulationLimit& one, const AccumulationLimit& other) {
                         return one.is_held() != other.is_held() ? one.is_held() : one.t < other.t;
                       });
  AccumulationLimit limit = std::move(*first);
  now_.agenda.limits.erase(first);
  now_.here->ode.hold(now_.agenda.states_held());
  now_.here->stepper->error_weights(now_.x, now_.weights);
  EventRecord& record = limit.record;
  record.t = now_.t;
  std::vector<EventRecord>& records = instant_.open_records(false);
  begin_instant(true);
  const bool goes_on = !limit.resting_location.empty();
  put_on_sliding();
  if (goes_on) switch_.enter(now_.tools.automaton().location_index(limit.resting_location));
  record.after = now_.x;
  if (now_.tools.automaton().has_locations()) record.to_location = now_.here->name;
  record.to = now_.word();
  records.push_back(std::move(record));
  if (!goes_on) {
    records_.publish();
    log_.finish(Status::zeno,
                "resets accumulate at t = " + number_text(now_.t) + " (within " + limit.within +
                    "): " + limit.turns +
                    ", and nothing says what follows; let the edge name a location with `zeno`, or "
                    "describe the body by a contact");
    return false;
  }
  const bool settles = settle();
  records_.publish();
  return settles;
}

}  // namespace slideway
