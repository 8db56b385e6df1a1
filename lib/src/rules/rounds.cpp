// ModeManager where a jump sets off others at the same instant: in rounds, as model/event.hpp says, until nothing has crossed.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/number_text.hpp"
#include "rules/mode_manager.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// Of the last events of a cycle, those whose names a message looks at, and those that it names.
constexpr std::size_t kLastOfCycle = 400;
constexpr std::size_t kMostMembersNamed = 6;

// "reset 'bounce', transition 'up' on -> off".
std::string label(const EventRecord& record) {
  return std::string(to_string(record.kind)) + (record.name ? " '" + *record.name + "'" : "") +
         (record.from_location && record.to_location && record.from_location != record.to_location
              ? " " + *record.from_location + " -> " + *record.to_location
              : "");
}

// "; 'fire' fires on entering 'off', where its guard is beyond zero": why an edge takes part that no crossing sets off.
std::string why_on_entry(const std::vector<EventRecord>& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->reason.rfind(reason::kBeyondAlready, 0) != 0 || !record->from_location) continue;
    const std::string edge = record->name ? "'" + *record->name + "'" : "an edge without a name";
    return "; " + edge + " fires on entering '" + *record->from_location +
           "', where its guard is beyond zero already: an edge watches a condition, not a crossing";
  }
  return {};
}

// The names of the members that have fired lately, each once.
std::string members_of(const std::vector<EventRecord>& records) {
  std::vector<std::string> members;
  for (std::size_t k = records.size() - std::min(kLastOfCycle, records.size()); k < records.size(); ++k) {
    const std::string member = label(records[k]);
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(member);
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(kMostMembersNamed, members.size()); ++k)
    text += (text.empty() ? "" : ", ") + members[k];
  if (members.size() > kMostMembersNamed)
    text += " and " + std::to_string(members.size() - kMostMembersNamed) + " more";
  return text;
}

}  // namespace

void ModeManager::begin_round() {
  if (instant_.fired_again) ++instant_.repeats;
  instant_.fired_again = false;
  ++instant_.round;
}

bool ModeManager::fires_without_end(const std::vector<EventRecord>& records) {
  if (instant_.repeats > kMostRepeatedRounds) {
    log_.finish(Status::chattering, "events set each other off without end at t = " + number_text(now_.t) +
                                        " and no time passes between them: " + members_of(records) +
                                        why_on_entry(records) + "; check the guards and what the resets set");
    return true;
  }
  const std::size_t noted = log_.solution().events.size() + records.size() - instant_.published;
  if (instant_.round < 2 || static_cast<Index>(noted) < now_.options.max_events) return false;
  publish();
  return log_.too_many_events();
}

void ModeManager::look_at_waiting() {
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  const bool begins = instant_.at_start && instant_.round == 0;
  guards.look_at_waiting();
  for (Index e = 0; e < watch.size(); ++e) {
    const double value = now_.here->event_value(now_.t, now_.x, e);
    const Initially initially = watch[e].initially;
    if (begins && initially == Initially::wait && !(value > 0)) guards.set_waits(e, true);
    // The scan has seen it on its side.
    if (guards.event(e).armed || (value > 0 && value > zero_level(e))) {
      guards.set_waiting(e, Waiting::yes);
      guards.set_was_ahead(e);
    } else if (guards.event(e).held && watch[e].direction != Direction::any &&
               std::abs(value) <= held_level(e)) {
      guards.set_waiting(e, Waiting::held);
    } else if (begins && initially == Initially::fire && value < -zero_level(e)) {
      guards.set_waiting(e, Waiting::due);
    }
  }
}

double ModeManager::held_level(Index event) {
  return zero_level(event) +
         kWrongWayFactor * now_.here->watch.tolerance(now_.t, now_.x, event, now_.weights);
}

// After its own reset, which is no crossing of it.
void ModeManager::wait_again(Index event) {
  const double value = now_.here->event_value(now_.t, now_.x, event);
  if (!now_.here->guards.has_looked()) return;
  now_.here->guards.set_waiting(event, value > 0 && value > zero_level(event) ? Waiting::yes : Waiting::no);
}

// A delayed edge whose condition holds is triggered once, not again by every jump until it acts.
bool ModeManager::is_on_its_way(const Watched& edge) const {
  const std::vector<PendingAction>& pending = now_.agenda.schedule.pending();
  return edge.delay.time > 0 && std::any_of(pending.begin(), pending.end(), [&](const PendingAction& action) {
           return action.is_edge && action.of == edge.edge;
         });
}

std::vector<ModeManager::Crossed> ModeManager::crossed_by_jump() {
  std::vector<Crossed> crossed;
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  now_.mode.fill_lambda(now_.lambda);
  for (Index e = 0; e < watch.size(); ++e) {
    if (now_.is_part_of_limit(e)) continue;
    const Watched& watched = watch[e];
    const Waiting waiting = guards.event(e).waiting;
    const double value = now_.here->event_value(now_.t, now_.x, e);
    const bool is_edge = watched.kind == WatchedKind::edge;
    if (is_edge && watched.direction != Direction::any && !std::isfinite(value))
      throw std::runtime_error("the guard of an edge is not finite at t = " + number_text(now_.t));
    if (value > 0) {
      if (waiting != Waiting::yes && value > zero_level(e)) {
        guards.set_waiting(e, Waiting::yes);
        guards.set_was_ahead(e);
      }
      continue;
    }
    if (!(value < 0)) continue;
    const bool is_due = waiting == Waiting::due;
    const bool crosses = waiting != Waiting::no && watched.across_jumps && !is_due;
    const bool is_past = is_due || (is_edge && watched.direction != Direction::any && watched.across_jumps &&
                                    !guards.event(e).waits && !is_on_its_way(watched));
    if (!crosses && !is_past && watched.direction != Direction::any) continue;
    if (!(value < -(waiting == Waiting::held ? held_level(e) : zero_level(e)))) continue;
    // On the other side a guard in any direction waits for the way back.
    if (watched.direction == Direction::any) {
      guards.turn(e);
      guards.set_waiting(e, Waiting::yes);
    }
    if (crosses || is_past) crossed.push_back({e, crosses ? Cause::jump : Cause::beyond});
  }
  return crossed;
}

bool ModeManager::fire_crossed(const std::vector<Crossed>& crossed, bool at_start,
                               std::vector<EventRecord>& records) {
  begin_round();
  std::vector<Crossed> jumps;
  std::vector<Index> stops;
  for (const Crossed& one : crossed) {
    const WatchedKind kind = now_.here->watch[one.event].kind;
    if (kind == WatchedKind::stop) stops.push_back(one.event);
    if (kind == WatchedKind::reset || kind == WatchedKind::edge) jumps.push_back(one);
    if (kind != WatchedKind::record) continue;
    EventRecord record = note(one.event, EventKind::record, instant_.round);
    record.reason = one.cause == Cause::beyond ? reason::kBeyondAlready : reason::kCarriedPast;
    records.push_back(std::move(record));
    wait_again(one.event);
  }
  if (stops.empty()) return fire_round(jumps, at_start, records);
  // Nothing follows that a classification could be for: the sides are those of the signs.
  Meeting meeting;
  find_sides(false, meeting);
  if (!records.empty()) records.back().to = now_.word();
  for (const Index e : stops) records.push_back(note(e, EventKind::stop, instant_.round));
  finish_stopped(stops.front());
  return false;
}

bool ModeManager::fire_round(const std::vector<Crossed>& jumps, bool at_start,
                             std::vector<EventRecord>& records, const DueActions& due) {
  const EventWatch& watch = now_.here->watch;
  const bool has_priorities = std::any_of(jumps.begin(), jumps.end(),
                                          [&](const Crossed& one) { return watch[one.event].priority != 0; });
  if (!due.empty() || has_priorities) return fire_by_priority(jumps, at_start, records, due);
  for (const Crossed& one : jumps) {
    const bool is_edge = now_.here->watch[one.event].kind == WatchedKind::edge;
    if (!fire(one.event, at_start, records, one.cause)) return false;
    // One edge is taken; the others belong to the location left.
    if (is_edge) break;
  }
  return true;
}

}  // namespace slideway
