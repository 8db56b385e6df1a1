// ModeManager where the state or the location is new: its rules are asked in order, and what they decide is carried out, to a fixed point.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "rules/contact_release.hpp"
#include "rules/messages.hpp"
#include "rules/mode_manager.hpp"
#include "rules/pressed_contacts.hpp"
#include "rules/surface_sides.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/held_surfaces.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool ModeManager::settle() {
  instant_.settling = Instant::Settling::moved;
  if (!follow_rules([&] { return settle_rules_.decide(); })) return false;
  for (const Index e : motion_.left_at_zero()) {
    const EntryWarning warning = left_at_zero_warning(now_, e);
    log_.warn_once(warning.opening, warning.text);
  }
  if (!instant_.records.empty()) instant_.records.back().to = now_.word();
  return true;
}

bool ModeManager::carry_out(const PublishRecords&) {
  records_.publish();
  return !log_.too_many_events();
}

bool ModeManager::carry_out(const FirePastZero& events) {
  return firing_.fire_crossed(events.crossed, instant_.at_start, instant_.records);
}

bool ModeManager::carry_out(const Hit& hit) {
  records_.begin_round();
  // A state behind a gap would have to come back before the next impact is seen, so it is put onto the gap.
  put_on_gaps(now_, hit.touching);
  return apply_impact(hit.touching);
}

bool ModeManager::carry_out(const FindMode&) {
  instant_.settling = Instant::Settling::in_mode;
  return settle_mode();
}

bool ModeManager::carry_out(const FireThroughZero& events) {
  records_.begin_round();
  for (const Index e : events.records) {
    instant_.records.push_back(records_.note(e, EventKind::record, instant_.round));
    now_.here->guards.set_fired_at_zero(e, true);
    waiting_.wait_again(e);
  }
  for (const Index e : events.stops) {
    now_.here->guards.set_fired_at_zero(e, true);
    instant_.records.push_back(records_.note(e, EventKind::stop, instant_.round));
  }
  if (!events.stops.empty()) {
    firing_.leave_undone(events.jumps);
    records_.finish_stopped(events.stops.front());
    return false;
  }
  instant_.settling = events.jumps.empty() ? Instant::Settling::settled : Instant::Settling::moved;
  return events.jumps.empty() || firing_.fire_round(events.jumps, instant_.at_start, instant_.records);
}

// The edge of this location that undoes the one that fired last at this instant.
std::optional<std::size_t> ModeManager::edge_that_undoes_last() const {
  if (!instant_.last_edge || now_.regime.in_pair()) return std::nullopt;
  const std::vector<Edge>& edges = now_.tools.automaton().edges();
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    const Watched& watched = now_.here->watch[e];
    if (watched.kind == WatchedKind::edge && undo_each_other(edges[*instant_.last_edge], edges[watched.edge]))
      return watched.edge;
  }
  return std::nullopt;
}

// The relays and the contacts where the state is new; nothing approaches any more.
bool ModeManager::settle_mode(const std::vector<Index>& pressed) {
  const bool at_start = instant_.at_start;
  std::vector<EventRecord>& records = instant_.records;
  LocationTools& here = *now_.here;
  Meeting all{.at_start = true};
  const Mode before = now_.regime.mode();
  const std::vector<Index> left = left_with_pair();
  if (!firing_.take_sides_of_state(!instant_.moved, all)) return false;
  std::erase_if(all.met, [&](const Met& met) { return contains(left, met.surface); });
  // Surfaces that are not in force are left on their sides.
  const std::vector<Index> no_part = out_of_force(now_, all.met);
  std::erase_if(all.met, [&](const Met& met) { return contains(no_part, met.surface); });
  for (const Index i : no_part) here.guards.leave_surface(i);
  // A jump elsewhere leaves a guard on the side that is stored: within the errors with which it was left its sign says nothing.
  std::vector<Index> unmoved;
  if (instant_.moved && !at_start && !(now_.regime.mode() == before) &&
      now_.regime.mode().size() == before.size() && instant_.before.size() == now_.x.size()) {
    Vector h(now_.regime.mode().size()), h_before(now_.regime.mode().size());
    here.evaluator.guards(now_.t, now_.x, h);
    here.evaluator.guards(now_.t, instant_.before, h_before);
    for (Index i = 0; i < now_.regime.mode().size(); ++i) {
      if (now_.regime.mode()[i] == before[i] || before.slides_on(i) || h[i] != h_before[i] ||
          !(std::abs(h[i]) <= here.guards.surface(i).allowance))
        continue;
      now_.regime.set(i, before[i]);
      unmoved.push_back(i);
    }
  }
  here.guards.leave_only_earlier(unmoved);
  std::vector<Index> resting;
  if (here.contacts) {
    const std::vector<Index> touching = touching_contacts(now_, instant_.was_reset);
    here.guards.leave_contacts(touching);
    for (const Index c : touching) {
      const double rate = here.contacts->rate(now_.t, now_.x, now_.regime.lambda(), c);
      if (rate <= here.contacts->rate_rounding(now_.t, now_.x, now_.regime.lambda(), c, now_.weights,
                                               now_.impact_noise))
        resting.push_back(c);
    }
  }
  now_.regime.repelling = false;
  now_.regime.since = now_.t;
  for (const Index i : held_by(now_, resting)) {
    // The sign of what rounding has left of the guard says nothing.
    if (i < before.size() && !before.slides_on(i)) now_.regime.set(i, before[i]);
    now_.regime.set(i, pressing_side(now_, i, resting));
    const auto place = std::lower_bound(all.met.begin(), all.met.end(), i,
                                        [](const Met& met, Index surface) { return met.surface < surface; });
    if (place == all.met.end() || place->surface != i) all.met.insert(place, Met{.surface = i});
  }
  for (int turn = 0;; ++turn) {
    if (here.contacts) {
      now_.regime.contacts = kept_closed(now_, resting);
      std::vector<Index>& staying = now_.regime.contacts.closed;
      for (std::size_t k = 0; turn == 0 && k < pressed.size(); ++k) {
        const auto place = std::lower_bound(staying.begin(), staying.end(), pressed[k]);
        if (place == staying.end() || *place != pressed[k]) staying.insert(place, pressed[k]);
      }
    }
    const std::vector<Index> closed = now_.regime.contacts.closed;
    Meeting meeting{.at_start = true};
    const std::vector<Index> held = held_by(now_, closed, true);
    // Surfaces that were taken to slide while the contacts were open do not slide.
    for (const Index i : held) {
      if (now_.regime.mode().slides_on(i)) now_.regime.set(i, pressing_side(now_, i, closed));
    }
    std::copy_if(all.met.begin(), all.met.end(), std::back_inserter(meeting.met),
                 [&](const Met& met) { return !contains(held, met.surface); });
    if (meeting.met.empty()) break;
    if (stay(second_order_rules_.goes_on(meeting)) || stay(second_order_rules_.is_there(meeting))) break;
    here.evaluator.keep_field_at(now_.t, now_.x);
    const Resolution resolution = here.resolver.resolve(now_.t, now_.x, now_.regime.mode(),
                                                        now_.regime.lambda(), meeting, now_.weights);
    if (stay(second_order_rules_.turns_back(resolution, meeting))) break;
    // Some of several continuations may lead straight back through the edge, so the guard takes part in the decision.
    const std::optional<std::size_t> way_back = resolution.decided ? std::nullopt : edge_that_undoes_last();
    if (way_back) {
      now_.regime.take(before);
      return firing_.slide_between(*instant_.last_edge, *way_back, records) && settle_mode(pressed);
    }
    // A choice among continuations deserves a record, whether or not the policy makes it.
    const bool has_choice = !resolution.decided || resolution.eventful;
    if (has_choice) {
      EventRecord record = resolution.event;
      if (!at_start || !records.empty()) record.from = records.empty() ? now_.word() : records.back().to;
      for (Mode& mode : record.continuations) mode = now_.as_shown(mode);
      records.push_back(std::move(record));
    }
    if (!resolution.decided) {
      finish_undecided(now_, resolution, log_);
      return false;
    }
    adopt(resolution);
    if (has_choice) records.back().to = now_.word();
    if (!here.contacts) break;
    // Friction goes on as it does with the relays that were found, whether or not as many contacts stay closed.
    ContactModes again = kept_closed(now_, resting);
    now_.regime.contacts.frictions = std::move(again.frictions);
    if (again.closed == closed) break;
    if (turn == kContactTurns) break;
  }
  for (const Index i : left) now_.here->guards.leave_surface(i);
  // A pair of locations is left at once where its surface does not attract.
  if (now_.regime.in_pair() && !now_.regime.mode().slides_on(now_.regime.mode().size() - 1)) {
    EventRecord* const entry = records.empty() ? nullptr : &records.back();
    if (entry && entry->kind == EventKind::sliding_entry) {
      entry->kind = EventKind::transition;
      entry->reason = reason::kOneModeBetween;
    }
    firing_.leave_pair(entry);
    if (entry && entry->kind == EventKind::transition && entry->from_location == entry->to_location &&
        !instant_.moved) {
      entry->kind = EventKind::grazing;
      entry->reason = reason::kTouchesBetween;
    }
  }
  return true;
}

// Surfaces that are left together with the guard between two locations: one mode was chosen for all of them, and the field of the
// location that was entered is the field of that mode.
std::vector<Index> ModeManager::left_with_pair() const {
  std::vector<Index> left;
  if (!instant_.departed || instant_.last_edge || instant_.moved || now_.regime.in_pair()) return left;
  left = now_.here->guards.surfaces_left();
  std::erase_if(left, [&](Index i) { return now_.regime.mode().slides_on(i); });
  return left;
}

}  // namespace slideway
