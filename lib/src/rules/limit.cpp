// ModeManager between the last event of a series that accumulates and the limit of the series.
//
// The members of the series are put at their limit at once: contacts are closed, surfaces are slid along, states that resets
// change are held at their limits. The others are integrated up to the limit with it, as over any other stretch, events included:
// over a turn, forces and relays do on average what they do at the limit. The log shows the limit at its time.

#include <algorithm>

#include "core/number_text.hpp"
#include "rules/mode_manager.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool ModeManager::close_until(AccumulationLimit&& limit, const std::vector<Index>& contacts) {
  ContactDynamics& dynamics = *now_.here->contacts;
  // Contacts that were closed before took part, but they do not come to rest here.
  std::vector<Index> closed = dynamics.closed();
  for (const Index c : contacts) {
    if (contains(closed, c)) continue;
    now_.list(now_.mode.size() + c, limit.record);
    limit.members.push_back(now_.mode.size() + c);
  }
  if (!limit.record.surface_names.empty()) limit.record.name = limit.record.surface_names.front();
  closed.insert(closed.end(), contacts.begin(), contacts.end());
  std::sort(closed.begin(), closed.end());
  closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
  now_.mode.fill_lambda(now_.lambda);
  put_on_sliding();
  dynamics.project(now_.t, closed, now_.lambda, now_.weights, now_.x);
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.here->guards.leave_contacts(closed);
  std::vector<EventRecord>& records = instant_.open_records(false);
  begin_instant(true);
  now_.agenda.limits.push_back(std::move(limit));
  const bool goes_on = settle();
  AccumulationLimit& kept = now_.agenda.limits.back();
  kept.record.to = now_.as_shown(now_.mode);
  if (!goes_on) {
    kept.record.t = now_.t;
    kept.record.after = now_.x;
    records.insert(records.begin(), std::move(kept.record));
    now_.agenda.limits.pop_back();
  }
  records_.publish();
  return goes_on;
}

// The stretch that was skipped did not end sliding elsewhere, so the state is put back onto it.
void ModeManager::put_on_sliding() {
  now_.mode.list_sliding(on_surface_);
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
