// ModeManager where the state jumps: impacts, resets and edges, and what is said of them in the log.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "rules/messages.hpp"
#include "rules/mode_manager.hpp"
#include "rules/surface_sides.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

void ModeManager::begin_instant(bool is_new) {
  now_.here->guards.begin_instant();
  instant_.begin(now_.x, is_new, now_.here->contacts || now_.here->watch.size() > 0);
  // The scan has seen the guards at the state before the jump.
  if (is_new) now_.here->guards.disarm_events();
  now_.impact_noise = 0;
}

bool ModeManager::jump(const Arrivals& arrivals) {
  locator_.scanned().poles.clear();
  instant_.second_order = now_.regime.place.second_order;
  if (now_.regime.in_second_order() && !leave_second_order(now_.regime.place.second_order)) return false;
  now_.restart.jump(now_.t);
  const Vector guards_before = now_.here->guards.any_along() ? surface_guards() : Vector();
  jumps_.begin();
  forget_crossings();
  instant_.open_records(false);
  // Another event of the same guard is not on its own side within the accuracy of the location.
  for (const Index e : arrivals.jumps) {
    const GuardRow& row = now_.here->guards.event(e);
    jumps_.note_zero(now_.here->watch[e].when, row.noise);
  }
  waiting_.look_at_waiting();
  for (const auto* const events : {&arrivals.records, &arrivals.jumps}) {
    for (const Index e : *events) now_.here->guards.set_waiting(e, Waiting::no);
  }
  records_.begin_round();
  now_.here->guards.leave_contacts({});
  bool goes_on = true;
  std::vector<Index> hits = arrivals.hits;
  if (!hits.empty()) {
    put_on_gaps(now_, hits);
    const std::vector<Index>& closed = now_.regime.contacts.closed;
    // Moved onto the gaps that are hit the state may move against those that are closed, which do not approach.
    now_.here->contacts->project(now_.t, closed, now_.regime.lambda(), now_.regime.contacts, now_.weights,
                                 now_.x);
    hits.insert(hits.end(), closed.begin(), closed.end());
    for (const Index c : touching_contacts(now_, instant_.was_reset)) {
      // A gap that opens is as good as open, however small it is.
      const bool opens = now_.here->contacts->rate(now_.t, now_.x, now_.regime.lambda(), c) >
                         now_.here->contacts->rate_rounding(now_.t, now_.x, now_.regime.lambda(), c,
                                                            now_.weights, now_.impact_noise);
      if (!opens && !contains(hits, c)) hits.push_back(c);
    }
    std::sort(hits.begin(), hits.end());
    goes_on = apply_impact(hits);
  }
  std::vector<Crossed> crossed;
  for (const Index e : arrivals.jumps) crossed.push_back({e, Cause::zero});
  if (goes_on && arrivals.given) goes_on = firing_.take_state(*arrivals.given, instant_.records);
  const DueActions due = arrivals.is_due ? now_.agenda.schedule.take(now_.t) : DueActions();
  if (goes_on) goes_on = firing_.fire_round(crossed, false, instant_.records, due);
  if (goes_on) goes_on = settle();
  const bool is_sampled = arrivals.jumps.empty() && arrivals.hits.empty();
  if (goes_on && !arrivals.jumps.empty() && jumps_.hit.empty() && leaves_states()) now_.restart.keep_states();
  if (!now_.agenda.limits.empty()) limits_.drop_disturbed();
  if (goes_on && guards_before.size() == now_.regime.mode().size()) end_along(guards_before);
  if (arrivals.given) firing_.drop_if_mode_stays(instant_.records);
  records_.publish();
  if (!goes_on || log_.too_many_events()) return false;
  // Known times do not accumulate.
  return is_sampled && instant_.round <= 1 ? true : goes_on_after();
}

// A jump within the errors of the states leaves the motion where the motion was, as a crossing does.
bool ModeManager::leaves_states() const {
  const Index continuous = now_.here->system.states() - now_.here->system.discrete();
  if (instant_.before.size() != now_.x.size()) return false;
  const auto changes = (now_.x - instant_.before).cwiseProduct(now_.weights).head(continuous);
  return continuous == 0 || changes.lpNorm<Eigen::Infinity>() <= 1;
}

Vector ModeManager::surface_guards() {
  Vector guards(now_.regime.mode().size());
  now_.here->evaluator.guards_nearly(now_.t, now_.x, guards);
  return guards;
}

// A jump that moves a guard ends what was left along its surface: an exact touch would be an accident from there on.
void ModeManager::end_along(const Vector& guards_before) {
  const Vector guards = surface_guards();
  for (Index i = 0; i < guards.size(); ++i) {
    if (!now_.here->guards.surface(i).along) continue;
    const double tolerance = now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
    if (!(std::abs(guards[i] - guards_before[i]) <= tolerance)) now_.here->guards.set_along(i, false);
  }
}

bool ModeManager::apply_impact(const std::vector<Index>& touching) {
  const ContactDynamics& contacts = *now_.here->contacts;
  EventRecord record;
  record.t = now_.t;
  record.kind = EventKind::impact;
  if (!instant_.at_start || !instant_.records.empty()) record.from = now_.word();
  record.before = now_.x;
  std::vector<double> noise;
  for (const Index c : touching)
    noise.push_back(
        contacts.rate_rounding(now_.t, now_.x, now_.regime.lambda(), c, now_.weights, now_.impact_noise));
  const ContactDynamics::Impact impact =
      contacts.impact(now_.t, now_.regime.lambda(), touching, true, now_.regime.contacts, now_.x);
  now_.impact_noise = std::max(now_.impact_noise, impact.noise);
  follow_others(now_.here->plain, now_.t, now_.x);
  if (!now_.x.allFinite()) {
    log_.finish(Status::user_function_failed,
                "an impact leads to a state that is not finite at t = " + number_text(now_.t));
    return false;
  }
  bool bounces = false;
  bool any_approaches = false;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    if (!(impact.approach[k] > noise[k])) continue;
    any_approaches = true;
    now_.list(now_.regime.mode().size() + touching[k], record);
    bounces = bounces || impact.departure[k] > 0;
    record.reason +=
        (record.reason.empty() ? "" : "; ") + reason::approaches(impact.approach[k], impact.restitution[k]);
  }
  if (!any_approaches) {
    for (const Index c : touching) now_.list(now_.regime.mode().size() + c, record);
    record.reason = reason::kTouchesWithoutSpeed;
  } else {
    for (const Index i : record.surfaces) jumps_.hit.push_back(i - now_.regime.mode().size());
  }
  record.name = contacts.contact(record.surfaces.front() - now_.regime.mode().size()).name;
  if (!bounces) record.kind = EventKind::contact;
  record.after = now_.x;
  // All contacts count as open until the mode is found.
  now_.regime.contacts.closed.clear();
  now_.here->guards.leave_contacts(touching);
  for (const Index i : record.surfaces) records_.note_member(kContactMembers + i);
  jumps_.touching.insert(jumps_.touching.end(), touching.begin(), touching.end());
  record.to = now_.word();
  record.round = instant_.round;
  instant_.records.push_back(std::move(record));
  instant_.moved = true;
  return true;
}

bool ModeManager::goes_on_after() {
  if (log_.too_many_events()) return false;
  bool jumped = false;
  for (const EventRecord& record : instant_.records) {
    jumped = jumped || record.kind == EventKind::reset || record.kind == EventKind::transition;
  }
  // The next lines may begin another instant, which clears the records.
  const EventRecord last = std::move(instant_.records.back());
  if (!jumps_.touching.empty() && !jumped) {
    LimitDecision rests = limit_after_impact();
    const bool comes_to_rest = rests.limit.has_value(), goes_on = carry_out(std::move(rests));
    if (comes_to_rest) return goes_on;
  }
  if (!carry_out(limit_after_jump())) return false;
  // Bounces that shrink steadily come to their end.
  return limit_of(history_.jumps.events(), kTurnsOfJumps) || !chatters(last);
}

}  // namespace slideway
