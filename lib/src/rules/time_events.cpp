// ModeManager at times that are known: time events, and delayed resets and edges. Nothing is located there, and a step has ended
// exactly at that time.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "rules/mode_manager.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// Members of a jump have numbers: time events theirs from here on, beside those of jump.cpp.
constexpr Index kTimeMembers = 3'000'000;

std::string title_of(const char* kind, const std::string& name) {
  return kind + (name.empty() ? std::string() : " '" + name + "'");
}

}  // namespace

void ModeManager::take_due(Arrivals& arrivals) {
  const double next = now_.agenda.schedule.next();
  if (!(next - now_.t <= location_accuracy(now_.t, 0)) || next > now_.run.end + time_rounding(now_.run.end))
    return;
  now_.t = std::clamp(next, now_.t, now_.run.end);
  arrivals.due = now_.agenda.schedule.take(now_.t);
}

bool ModeManager::reach_known_time() {
  const double limit = now_.agenda.held_limit(now_.run.end);
  if (limit <= now_.t || limit < now_.agenda.schedule.next()) return end_held_limit();
  arrivals_.clear();
  take_due(arrivals_);
  begin_instant(false);
  now_.here->stepper->error_weights(now_.x, now_.weights);
  return jump(arrivals_);
}

bool ModeManager::fire_by_priority(const std::vector<Crossed>& jumps, bool at_start,
                                   std::vector<EventRecord>& records, const DueActions& due) {
  // The order where priorities are the same is that of this list.
  struct Jump {
    int priority = 0;
    const Crossed* crossed = nullptr;
    const PendingAction* action = nullptr;
    Index time_event = -1;
  };
  const EventWatch& watch = now_.here->watch;
  const System& system = now_.tools.automaton().system();
  std::vector<Jump> all;
  for (const Crossed& one : jumps) all.push_back({.priority = watch[one.event].priority, .crossed = &one});
  for (const PendingAction& action : due.actions) {
    const int priority = action.is_edge ? now_.tools.automaton().edges()[action.of].priority
                                        : system.events()[action.of].priority;
    all.push_back({.priority = priority, .action = &action});
  }
  for (const Index event : due.events) {
    all.push_back(
        {.priority = system.time_events()[static_cast<std::size_t>(event)].priority, .time_event = event});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Jump& one, const Jump& other) { return one.priority > other.priority; });
  bool has_left = false;
  for (const Jump& one : all) {
    if (one.time_event >= 0) {
      if (!fire_time_event(one.time_event, at_start, records)) return false;
      continue;
    }
    const std::string location = now_.here->name;
    if (one.action) {
      if (!act(*one.action, records)) return false;
    } else if (!has_left) {
      const bool is_edge = now_.here->watch[one.crossed->event].kind == WatchedKind::edge;
      if (!fire(one.crossed->event, at_start, records, one.crossed->cause)) return false;
      has_left = is_edge;
    }
    // The numbers of what has crossed are those of the location left.
    has_left = has_left || now_.here->name != location;
  }
  return true;
}

Vector ModeManager::state_after(const char* kind, const std::string& name, const ResetFunction& reset) {
  Vector after = now_.x;
  named_call([&] { return title_of(kind, name); }, [&] { reset(now_.t, now_.x, after); });
  return after;
}

bool ModeManager::set_state(const char* kind, const std::string& name, const Vector& after) {
  if (!after.allFinite()) {
    Index j = 0;
    while (std::isfinite(after[j])) ++j;
    log_.finish(Status::user_function_failed,
                title_of(kind, name) + " sets state '" +
                    now_.here->system.state_names()[static_cast<std::size_t>(j)] +
                    "' to a value that is not finite (" + number_text(after[j]) +
                    ") at t = " + number_text(now_.t));
    return false;
  }
  instant_.moved = instant_.moved || after != now_.x;
  instant_.was_reset = true;
  now_.x = after;
  now_.here->stepper->error_weights(now_.x, now_.weights);
  // Every guard is looked at again.
  now_.here->guards.disarm_events();
  return true;
}

bool ModeManager::fire_time_event(Index event, bool at_start, std::vector<EventRecord>& records) {
  const TimeEvent& fired = now_.tools.automaton().system().time_events()[static_cast<std::size_t>(event)];
  EventRecord record;
  record.t = now_.t;
  record.kind = EventKind::sample;
  record.name = optional_name(fired.name);
  record.round = instant_.round;
  if (!at_start) record.from = now_.word();
  const bool keeps_states = now_.keeps_states();
  if (keeps_states) record.before = now_.x;
  const Vector after = state_after("time event", fired.name, fired.reset);
  record.reason = reason::time_has_come(after == now_.x);
  if (!set_state("time event", fired.name, after)) return false;
  if (keeps_states) record.after = now_.x;
  note_member(kTimeMembers + event);
  if (!at_start) record.to = now_.word();
  records.push_back(std::move(record));
  return true;
}

bool ModeManager::trigger(Index event, EventRecord&& record, std::vector<EventRecord>& records) {
  const Watched& watched = now_.here->watch[event];
  PendingAction action;
  action.t = now_.t + watched.delay.time;
  action.is_edge = watched.kind == WatchedKind::edge;
  action.of = action.is_edge ? watched.edge : watched.event;
  if (watched.reset && watched.delay.values == DelayedValues::trigger) {
    action.values = state_after("reset", watched.name, watched.reset);
  }
  record.kind = EventKind::record;
  record.reason = reason::acts_at(action.t);
  record.after = record.before;
  record.to = now_.word();
  now_.agenda.schedule.add(std::move(action));
  now_.here->guards.set_fired_here(event, true);
  wait_again(event);
  note_member(kTimeMembers - 1 - event);
  records.push_back(std::move(record));
  return true;
}

bool ModeManager::act(const PendingAction& action, std::vector<EventRecord>& records) {
  const Edge* const edge = action.is_edge ? &now_.tools.automaton().edges()[action.of] : nullptr;
  const Event* const event = action.is_edge ? nullptr : &now_.tools.automaton().system().events()[action.of];
  const std::string& name = edge ? edge->name : event->name;
  const Delay& delay = edge ? edge->delay : event->delay;
  const ResetFunction& reset = edge ? edge->reset : event->reset;
  EventRecord record;
  record.t = now_.t;
  record.name = optional_name(name);
  record.round = instant_.round;
  record.from = now_.word();
  record.kind = EventKind::reset;
  record.reason = reason::delay_is_over(action.t - delay.time);
  const bool keeps_states = now_.keeps_states();
  if (keeps_states) record.before = now_.x;
  if (reset) {
    Vector after = now_.x;
    if (action.values.size() > 0) {
      if (delay.sets.empty()) after = action.values;
      for (const Index j : delay.sets) after[j] = action.values[j];
    } else {
      after = state_after("reset", name, reset);
    }
    if (!set_state("reset", name, after)) return false;
  }
  if (keeps_states) record.after = now_.x;
  note_member(kTimeMembers / 2 + static_cast<Index>(action.of));
  if (edge) {
    record.from_location = now_.here->name;
    if (edge->to != now_.here->name) {
      record.kind = EventKind::transition;
      drop_actions_of(edge->from);
      const LocationTools& before = *now_.here;
      enter(now_.tools.automaton().location_index(edge->to));
      carry_fired(before);
    }
    record.to_location = now_.here->name;
    instant_.last_edge.reset();
  }
  now_.here->guards.disarm_events();
  record.to = now_.word();
  records.push_back(std::move(record));
  return true;
}

void ModeManager::drop_actions_of(const std::string& location) {
  if (now_.agenda.schedule.pending().empty()) return;
  now_.agenda.schedule.drop([&](const PendingAction& action) {
    return action.is_edge && now_.tools.automaton().edges()[action.of].from == location;
  });
}

// The sides before that are those of the signs.
bool ModeManager::fire_at_start(std::vector<EventRecord>& records) {
  if (!now_.agenda.schedule.is_due(now_.t)) return true;
  Meeting meeting;
  if (!take_sides_of_state(false, meeting)) return false;
  log_.solution().initial.mode = now_.word();
  return fire_by_priority({}, true, records, now_.agenda.schedule.take(now_.t));
}

}  // namespace slideway
