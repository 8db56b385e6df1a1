// ModeManager at one instant: what arrived there, and the mode that follows where nothing jumps.
//
// The order at an instant: records, stops, impacts, then resets and edges in the order of the list (jump.cpp, event_firing.cpp); whatever
// these set off follows in rounds until nothing fires, and the mode is found once the state stands still (settle.cpp).

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "rules/contact_release.hpp"
#include "rules/messages.hpp"
#include "rules/mode_manager.hpp"
#include "rules/pressed_contacts.hpp"
#include "rules/second_order_sliding.hpp"
#include "rules/stick_slip.hpp"
#include "rules/surface_sides.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

// Surfaces whose guards vanish with others and stay zero: no root tells when, as where several roots of distances end at once.
void ModeManager::add_resting_surfaces(Meeting& meeting) {
  // Fields that are affine have no roots.
  if (meeting.met.empty() || now_.regime.mode().size() < 2 || now_.here->evaluator.affine_rates()) return;
  const auto is_met = [&](Index i) {
    return std::any_of(meeting.met.begin(), meeting.met.end(),
                       [i](const Met& met) { return met.surface == i; });
  };
  Vector& h = guards_;
  h.resize(now_.regime.mode().size());
  now_.here->evaluator.guards(now_.t, now_.x, h);
  const double near = SurfaceGeometry::plainly_off_zero(now_.x);
  std::vector<Index> at_zero;
  for (Index i = 0; i < now_.regime.mode().size(); ++i) {
    if (!(std::abs(h[i]) <= near) || now_.regime.mode().slides_on(i) || is_met(i)) continue;
    if (std::abs(h[i]) <= now_.here->geometry.projected(now_.t, now_.x, i, now_.weights))
      at_zero.push_back(i);
  }
  if (at_zero.empty()) return;
  std::vector<Index> all = at_zero;
  for (const Met& met : meeting.met) all.push_back(met.surface);
  if (!now_.here->resolver.rests(now_.t, now_.x, now_.regime.lambda(), all, now_.weights)) return;
  for (const Index i : at_zero) {
    meeting.met.push_back({.surface = i, .away = now_.here->guards.away(i, now_.t)});
  }
  std::sort(meeting.met.begin(), meeting.met.end(),
            [](const Met& first, const Met& second) { return first.surface < second.surface; });
  on_surface_.insert(on_surface_.end(), at_zero.begin(), at_zero.end());
  std::sort(on_surface_.begin(), on_surface_.end());
  now_.here->geometry.project(now_.t, on_surface_, now_.weights, now_.x);
}

std::optional<ModeEnd> ModeManager::handle_ending_root() {
  ModeField& field = now_.here->ode.field();
  const std::vector<Index> ending = field.ending();
  if (!ending.empty()) now_.regime.guess(field.known_relays());
  if (ending.empty() || static_cast<Index>(ending.size()) > most_enumerated_surfaces) return std::nullopt;
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.step.dense_end = now_.t;
  const std::vector<char> none(static_cast<std::size_t>(now_.here->ode.guards()), 0);
  return handle_arrival(none, ending) ? ModeEnd::event : ModeEnd::finished;
}

// A surface met may be nearly tangent to others. Errors leave its guard small far from the points of all of them, so the state then stays
// on those that slide, or where it is.
bool ModeManager::put_on_surfaces_met() {
  const std::vector<Index>& sliding = now_.here->ode.field().sliding();
  if (sliding.size() == on_surface_.size() || now_.here->evaluator.guards_are_affine()) {
    now_.here->geometry.project(now_.t, on_surface_, now_.weights, now_.x);
    return true;
  }
  const Vector arrived = now_.x;
  now_.here->geometry.project(now_.t, on_surface_, now_.weights, now_.x);
  if ((now_.x - arrived).cwiseProduct(now_.weights).lpNorm<Eigen::Infinity>() <= kFarFromErrors) return true;
  now_.x = arrived;
  if (!sliding.empty()) now_.here->geometry.project(now_.t, sliding, now_.weights, now_.x);
  return false;
}

bool ModeManager::has_hardly_left(Index surface) const {
  const double step = now_.stepper->last_step_size();
  return now_.here->guards.surface(surface).left &&
         now_.t - now_.regime.since <=
             std::max(2 * location_accuracy(now_.t, step),
                      kHardlyLeft * location_accuracy(now_.t - now_.run.start, step));
}

void ModeManager::forget_what_has_been_left() {
  now_.here->guards.forget_earlier_if([&](Index i) {
    const Index slot = ModeOde::first_slot(i);
    return locator_.is_armed(slot) && (!now_.regime.mode().slides_on(i) || locator_.is_armed(slot + 1));
  });
}

// Puts the state onto the surfaces that slide and those of the meeting, and finds the relays there.
//
// An excursion too short to be told from none: the component it started with counts as zero. Its ends are located as well as the
// clock tells; the noise of what was integrated goes with the time since the run began.
bool ModeManager::put_where_met(Meeting& meeting) {
  ModeOde& ode = now_.here->ode;
  on_surface_ = ode.field().sliding();
  for (Met& met : meeting.met) {
    if (now_.regime.mode().slides_on(met.surface)) continue;
    // The state need not be on a surface that is of an event alone: moved there, it may leave the domain of the field.
    if (now_.here->structure->acts(met.surface))
      on_surface_.insert(std::lower_bound(on_surface_.begin(), on_surface_.end(), met.surface), met.surface);
    if (has_hardly_left(met.surface)) {
      met.minus_vanishes = now_.regime.mode()[met.surface] == Side::minus;
      met.plus_vanishes = now_.regime.mode()[met.surface] == Side::plus;
    }
  }
  now_.here->guards.keep_earlier();
  forget_what_has_been_left();
  const bool is_on_all = put_on_surfaces_met();
  add_resting_surfaces(meeting);
  const bool is_on_surfaces = is_on_all && !now_.here->contacts && now_.here->geometry.residual() == 0;
  now_.here->evaluator.keep_field_at(now_.t, now_.x);
  // Where a root ends the sliding condition may have none at the projected state, so lambda stays as it is.
  if (!meeting.root_ends && ode.slides()) now_.regime.guess(ode.field().lambda(now_.t, now_.x));
  return is_on_surfaces;
}

bool ModeManager::handle_arrival(const std::vector<char>& slots, const std::vector<Index>& ending) {
  now_.restart.go_on();
  Arrivals& arrivals = arrived_.gather(slots, ending);
  arrived_.note_due();
  if (!now_.agenda.limits.empty()) limits_.show_those_that_end(arrivals);
  if (!locator_.scanned().poles.empty()) poles_.pass_events();
  const std::size_t records = log_.solution().events.size();
  if (!follow(arrivals) || !leave_rests()) return false;
  return log_.solution().events.size() > records || makes_progress();
}

// Conditions that fail at zero come to hold where their guards leave it.
bool ModeManager::leave_rests() {
  if (!now_.here->watch.has_conditions()) return true;
  const std::vector<Index> due = motion_.events_leaving_rest();
  if (due.empty()) return true;
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.clear();
  for (const Index e : due) arrivals.list(now_.here->watch[e].kind).push_back(e);
  begin_instant(false);
  if (!note_events()) return false;
  return arrivals.jumps.empty() || carry_out(TakeJumps());
}

// Surfaces that are met, contacts that are hit and friction that turns may keep a guard at its zero, where its condition fails. These
// events wait there for what follows.
void ModeManager::keep_at_rest() {
  Arrivals& arrivals = arrived_.arrivals();
  if (!now_.here->watch.has_conditions()) return;
  if (arrivals.meeting.met.empty() && arrivals.hits.empty() && arrivals.stick_slip.empty()) return;
  // The state on the gaps that are hit, and the motion of the mode that follows the surfaces (null where that is not decided): both are found
  // once, where an event asks for them first.
  Vector on_gaps;
  std::optional<ModeOde*> following;
  const auto is_zero_on_gaps = [&](Index e) {
    const bool is_known = on_gaps.size() > 0;
    if (!is_known) on_gaps = now_.x;
    now_.x.swap(on_gaps);
    if (!is_known) put_on_gaps(now_, arrivals.hits);
    const bool is_zero = std::abs(now_.here->event_value(now_.t, now_.x, e)) <= motion_.zero_level(e);
    now_.x.swap(on_gaps);
    return is_zero;
  };
  const auto may_rest = [&](Index e) {
    if (now_.here->watch.at_zero(now_.t, now_.x, e) != AtZero::fails) return false;
    if (!arrivals.stick_slip.empty()) return true;
    if (!arrivals.hits.empty() && is_zero_on_gaps(e)) return true;
    if (arrivals.meeting.met.empty()) return false;
    if (!following) {
      const Resolution found = resolution_of(arrivals.meeting, false);
      following = nullptr;
      if (found.decided) {
        Regime next = now_.regime;
        next.take(found.mode, found.lambda);
        following = &now_.asked_in(next);
      }
    }
    // The rate of a guard that the motion holds is rounding.
    return *following != nullptr &&
           (locator_.arming().is_held(e, **following) || motion_.motion_of(e, false, **following) >= 0);
  };
  for (std::vector<Index>* list : {&arrivals.records, &arrivals.stops, &arrivals.jumps}) {
    std::vector<Index> resting;
    std::copy_if(list->begin(), list->end(), std::back_inserter(resting), may_rest);
    arrived_.cross(resting);
    for (const Index e : resting) now_.here->guards.rest(e, AtZero::fails);
    std::erase_if(*list, [&](Index e) { return contains(resting, e); });
  }
}

// Nothing was told of the arrival of these guards.
bool ModeManager::makes_progress() {
  const double duration = now_.run.end - now_.run.start;
  if (!history_.quiet.note(now_.t, duration, log_.solution().events.size(), arrived_.arrivals().slots))
    return true;
  if (stays_where_no_field()) {
    history_.quiet.clear();
    return true;
  }
  const Arrivals& arrivals = arrived_.arrivals();
  std::vector<Index> surfaces;
  for (const Met& met : arrivals.meeting.met) surfaces.push_back(met.surface);
  log_.finish(Status::chattering, arrivals.any_turned ? turning_text(now_, history_.quiet.arrivals())
                                                      : returning_text(now_, surfaces));
  return false;
}

bool ModeManager::reach_known_time() {
  const double limit = now_.agenda.held_limit(kInfinity);
  if (limit <= now_.t || limit < now_.agenda.schedule.next()) return end_held_limit();
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.clear();
  arrived_.note_due();
  begin_instant(false);
  arrivals.stage = Arrivals::Stage::noted;
  now_.here->stepper->error_weights(now_.x, now_.weights);
  return follow(arrivals);
}

bool ModeManager::follow(const Arrivals& arrivals) {
  return follow_rules([&] { return arrival_rules_.decide(arrivals); });
}

bool ModeManager::carry_out(const TurnSides& sides) {
  Arrivals& arrivals = arrived_.arrivals();
  std::erase_if(arrivals.meeting.met,
                [&](const Met& one) { return contains(arrivals.with_value_again, one.surface); });
  arrivals.with_value_again.clear();
  std::erase_if(arrivals.meeting.met,
                [&](const Met& one) { return contains(sides.out_of_force, one.surface); });
  for (const Index i : sides.out_of_force) now_.here->guards.leave_surface(i);
  arrivals.any_turned = true;
  for (const TurnSides::Turn& turn : sides.turns) {
    if (sides.past_poles) now_.here->guards.drop(turn.surface);
    EventRecord record = now_.begun(EventKind::crossing);
    now_.list(turn.surface, record);
    now_.regime.set(turn.surface, turn.side);
    now_.end(record);
    record.reason = turn.reason;
    if (!turn.reason.empty()) log_.report(std::move(record));
  }
  if (sides.end) return carry_out(*sides.end);
  if (!sides.past_poles) return true;
  now_.here->ode.begin(now_.regime);
  locator_.scanned().poles.clear();
  return true;
}

bool ModeManager::carry_out(const TouchGaps&) {
  Arrivals& arrivals = arrived_.arrivals();
  now_.here->guards.leave_contacts(arrivals.hits);
  return carry_out(PassBy());
}

bool ModeManager::carry_out(const PassBy&) {
  arrived_.arrivals().stage = Arrivals::Stage::over;
  return !log_.too_many_events();
}

bool ModeManager::carry_out(const BeginThere&) {
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.stage = Arrivals::Stage::begun;
  arrivals.is_on_surfaces = put_where_met(arrivals.meeting);
  begin_instant(false);
  return true;
}

bool ModeManager::carry_out(const NoteEvents&) {
  arrived_.arrivals().stage = Arrivals::Stage::noted;
  if (now_.here->watch.size() > 0) {
    arrived_.take_sides();
    arrived_.add_simultaneous();
    keep_at_rest();
  }
  return note_events();
}

bool ModeManager::note_events() {
  Arrivals& arrivals = arrived_.arrivals();
  for (const auto* events : {&arrivals.records, &arrivals.stops, &arrivals.jumps}) arrived_.cross(*events);
  for (const Index e : arrivals.records) {
    now_.here->guards.set_fired_at_zero(e, true);
    log_.report(records_.note(e, EventKind::record));
  }
  if (arrivals.stops.empty()) return true;
  for (const Index e : arrivals.stops) {
    now_.here->guards.set_fired_at_zero(e, true);
    log_.report(records_.note(e, EventKind::stop));
  }
  firing_.leave_undone(arrivals.jumps);
  records_.finish_stopped(arrivals.stops.front());
  return false;
}

bool ModeManager::carry_out(const TurnFriction&) {
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.turned_friction = turn_stick_slip(now_, arrivals.stick_slip);
  arrivals.stick_slip.clear();
  return true;
}

bool ModeManager::carry_out(const TakeJumps&) {
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.stage = Arrivals::Stage::over;
  return jump(arrivals);
}

bool ModeManager::carry_out(const FollowFriction&) {
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.stage = Arrivals::Stage::over;
  return go_on_after_stick_slip(std::move(*arrivals.turned_friction), std::move(arrivals.releases));
}

bool ModeManager::carry_out(const FollowSurfaces&) {
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.stage = Arrivals::Stage::over;
  return resolve(arrivals.meeting, std::move(arrivals.releases), arrivals.is_on_surfaces);
}

// The friction of others may hold or slip from here on, and relays change with it, so that the whole mode is found anew.
bool ModeManager::go_on_after_stick_slip(StickSlip&& turn, std::vector<Index> releases) {
  if (!releases.empty()) open_contacts(now_, releases);
  instant_.moved = false;
  std::vector<EventRecord>& records = instant_.open_records(false);
  if (!settle_mode()) {
    records_.publish();
    return false;
  }
  records.clear();
  // Friction that still holds, within its bound, has only seemed to come to it.
  std::erase_if(turn.turned, [&](Index c) {
    return contains(turn.stuck, c) && now_.regime.contacts.is_closed(c) && now_.regime.contacts.sticks(c);
  });
  if (turn.turned.empty() && releases.empty()) {
    now_.end(turn.record);
    return goes_on_in_mode(std::move(turn.record), false);
  }
  note_stick_slip(now_, turn);
  if (!releases.empty()) note_releases(now_, releases, true, turn.record);
  now_.here->guards.note_return(true, 0);
  return goes_on_in_mode(std::move(turn.record), true);
}

void ModeManager::adopt(const Resolution& resolution, bool is_on_surfaces) {
  // `sliding` starts from the sliding surfaces of the mode so far, where the field is in that mode.
  std::vector<Index>& sliding = next_sliding_;
  sliding = now_.here->ode.field().sliding();
  resolution.mode.update_sliding(now_.here->ode.field().mode(), sliding);
  is_on_surfaces =
      is_on_surfaces && std::includes(on_surface_.begin(), on_surface_.end(), sliding.begin(), sliding.end());
  on_surface_.swap(sliding);
  for (const Index i : resolution.involved) {
    now_.here->guards.set_along(
        i, now_.regime.mode().slides_on(i) || now_.regime.mode()[i] == resolution.mode[i]);
  }
  now_.regime.take(resolution.mode, resolution.lambda);
  now_.regime.repelling = resolution.repelling;
  now_.here->guards.meet(resolution.involved, resolution.passes_by, now_.t, now_.restart.steps_in_run());
  now_.regime.since = now_.t;
  if (!on_surface_.empty() && !is_on_surfaces)
    now_.here->geometry.project(now_.t, on_surface_, now_.weights, now_.x);
}

std::optional<bool> ModeManager::stays_or_ends(Resolution& resolution, const Meeting& meeting,
                                               bool eventful) {
  EventRecord& record = resolution.event;
  if (std::optional<Stay> back = second_order_rules_.turns_back(resolution, meeting)) {
    record.kind = EventKind::sliding_entry;
    record.continuations.clear();
    record.reason = reason::turns_back(order_of_sliding(*back->tools));
    back->record = std::move(record);
    stay(std::move(back));
    return !log_.too_many_events();
  }
  if (resolution.decided) return std::nullopt;
  EventRecord undecided = record;
  for (Mode& mode : undecided.continuations) mode = now_.as_shown(mode);
  if (eventful) log_.report(std::move(undecided));
  finish_undecided(now_, resolution, log_);
  return false;
}

bool ModeManager::resolve(const Meeting& arrived, std::vector<Index> releases, bool is_on_surfaces) {
  const double mode_began = now_.regime.since;
  const std::vector<Index> still_touching = contacts_still_touching(now_, locator_);
  now_.here->guards.leave_contacts(releases, still_touching);
  const bool shows_more = now_.here->contacts || !now_.bound().empty();
  const Mode before = shows_more ? now_.word() : Mode();
  const Vector state_before = releases.empty() ? Vector() : now_.x;
  if (!releases.empty()) open_contacts(now_, releases);
  std::optional<Meeting> freed;
  const std::vector<Index>& held = now_.here->guards.held_surfaces();
  if (!held.empty() && !releases.empty()) freed = with_freed(now_, arrived, held);
  if (!freed) freed = with_dependents(now_, arrived);
  const Meeting& meeting = freed ? *freed : arrived;
  if (releases.empty() && comes_to_stay(meeting)) return !log_.too_many_events();
  Resolution resolution = resolution_of(meeting, releases.empty());
  EventRecord& record = resolution.event;
  bool eventful = false;
  if (!meeting.met.empty()) {
    // A surface that was held and is left on the side it was on has only been let go.
    eventful = resolution.eventful && (!arrived.met.empty() || !(resolution.mode == now_.regime.mode()));
    if (shows_more && record.from) record.from = before;
    if (const std::optional<bool> goes_on = stays_or_ends(resolution, meeting, eventful)) return *goes_on;
    for (Mode& mode : record.continuations) mode = now_.as_shown(mode);
    // A surface that has not been left since it was met last cannot be touched again: it is the same touch.
    if (record.kind == EventKind::grazing) {
      const auto has_left = [&](const Met& met) {
        return !now_.here->guards.surface(met.surface).left_earlier;
      };
      eventful = eventful && std::any_of(meeting.met.begin(), meeting.met.end(), has_left);
    }
    adopt(resolution, is_on_surfaces);
    now_.here->guards.forget_earlier_of_last();
    open_what_relays_open(now_, releases);
    now_.here->guards.leave_contacts(releases, still_touching);
    if (shows_more && record.to) record.to = now_.word();
    const std::vector<Index> pressed = eventful ? pressed_by_leaving(now_, before) : std::vector<Index>();
    if (!pressed.empty() && !close_pressed(pressed, record)) return false;
  }
  if (!releases.empty()) {
    if (!eventful) {
      record = EventRecord();
      record.from = before;
      record.before = state_before.size() > 0 ? state_before : now_.x;
    }
    note_releases(now_, releases, eventful, record);
    eventful = true;
    now_.regime.since = now_.t;
  }
  now_.here->guards.note_return(eventful, now_.t - mode_began);
  // It keeps coming back: a multistep method that starts at order one sees too little of such a flight.
  if (!eventful && history_.quiet.goes_on(log_.solution().events.size()))
    now_.restart.repeat(now_.t - mode_began);
  return goes_on_in_mode(std::move(record), eventful);
}

// The mode that follows the surfaces met, not adopted yet.
Resolution ModeManager::resolution_of(const Meeting& meeting, bool may_dip) {
  const auto resolve = [&](const Meeting& met) {
    return now_.here->resolver.resolve(now_.t, now_.x, now_.regime.mode(), now_.regime.lambda(), met,
                                       now_.weights);
  };
  Resolution resolution = meeting.met.empty() ? Resolution() : resolve(meeting);
  if (!may_dip || resolution.dips.empty()) return resolution;
  const std::vector<Index> dips = dips_.certain_dips(resolution);
  if (dips.empty()) return resolution;
  Meeting certain = meeting;
  for (Met& met : certain.met) met.dips = contains(dips, met.surface);
  resolution = resolve(certain);
  return resolution;
}

bool ModeManager::close_pressed(const std::vector<Index>& pressed, EventRecord& record) {
  for (const Index c : pressed) now_.here->guards.leave_contact(c);
  instant_.moved = false;
  std::vector<EventRecord>& records = instant_.open_records(false);
  const bool goes_on = settle_mode(pressed);
  if (!goes_on) {
    log_.report(std::move(record));
    records_.publish();
    return false;
  }
  // They are told by that of the surfaces.
  records.clear();
  for (const Index c : pressed) {
    if (!now_.regime.contacts.is_closed(c)) continue;
    now_.list(now_.regime.mode().size() + c, record);
    record.kind = EventKind::corner;
  }
  record.reason += reason::kHeldByContacts;
  record.to = now_.word();
  return true;
}

// Surfaces that only cross or touch in branches which are not in force change nothing.
bool ModeManager::has_no_part(const EventRecord& record) const {
  if (record.kind != EventKind::crossing && record.kind != EventKind::grazing) return false;
  if (!has_branches(now_)) return false;
  std::vector<Met> met;
  for (const Index i : record.surfaces)
    if (i < now_.regime.mode().size()) met.push_back({.surface = i});
  return !met.empty() && met.size() == record.surfaces.size() && out_of_force(now_, met).size() == met.size();
}

// Leaves what does not hold the solution in the new mode, and hands the record to the log.
bool ModeManager::goes_on_in_mode(EventRecord&& record, bool eventful) {
  const bool leaves = now_.regime.in_pair() && !now_.regime.mode().slides_on(now_.regime.mode().size() - 1);
  if (leaves) firing_.leave_pair(&record);
  const std::vector<Index> unheld = ends_of_second_order(now_);
  const std::string order_so_far = unheld.empty() ? "" : order_of_sliding(*now_.here);
  for (const SecondOrder::Bound& one : now_.bound()) {
    if (eventful && contains(unheld, one.to)) now_.list(one.surface, record);
  }
  const bool goes_on = unheld.empty() || leave_second_order(unheld);
  if (!unheld.empty()) record.reason += reason::order_ends(order_so_far);
  const std::size_t place = log_.solution().events.size();
  const bool is_told = eventful && !has_no_part(record);
  if (is_told) log_.report(std::move(record));
  if (!goes_on) return false;
  if (leaves) {
    // Another edge of the location may be due at once.
    instant_.open_records(false);
    const bool settles = settle();
    records_.publish();
    if (!settles) return false;
  }
  const EventRecord& kept = is_told ? log_.solution().events[place] : record;
  if (is_told && chatters(kept)) return false;
  if (log_.too_many_events()) return false;
  return !eventful || after_crossing(kept);
}

bool ModeManager::chatters(const EventRecord& event) {
  // Impacts between several contacts shrink slowly, and irregularly, to where times cannot be told apart.
  const double shortest = event.kind == EventKind::impact
                              ? kChatteringImpacts * std::abs(now_.t)
                              : std::max(kChattering * (now_.run.end - now_.run.start),
                                         kChatteringEvents * location_accuracy(now_.t, 0));
  history_.records.note(now_.t, 0);
  const double span = span_of_last(history_.records.events(), kChatteringEvents);
  if (!(span <= shortest)) return false;
  // Turns that shrink steadily come to their end.
  if (limit_of(history_.turns.events(), kTurnsRoundIntersection)) return false;
  log_.finish(Status::chattering, accumulating_text(now_, event, event.surfaces, span));
  return true;
}

}  // namespace slideway
