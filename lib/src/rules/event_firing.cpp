#include "rules/event_firing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "model/differentiable_reset.hpp"
#include "rules/messages.hpp"
#include "rules/surface_sides.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

std::string title_of(const char* kind, const std::string& name) {
  return kind + (name.empty() ? std::string() : " '" + name + "'");
}

}  // namespace

bool EventFiring::take_sides_of_state(bool keep, Meeting& meeting) {
  Sides sides = find_sides(now_, instant_, keep);
  now_.regime.take(sides.mode);
  meeting.met = std::move(sides.met);
  const auto& [surface, guard] = sides.without_value;
  if (surface < 0) return true;
  log_.finish(Status::user_function_failed, "the guard of surface '" + now_.surface_name(surface) +
                                                "' is not finite (" + number_text(guard) +
                                                ") after the jump at t = " + number_text(now_.t));
  return false;
}

bool EventFiring::fire_crossed(const std::vector<Crossed>& crossed, bool at_start,
                               std::vector<EventRecord>& records) {
  records_.begin_round();
  std::vector<Crossed> jumps;
  std::vector<Index> stops;
  for (const Crossed& one : crossed) {
    const WatchedKind kind = now_.here->watch[one.event].kind;
    if (kind == WatchedKind::stop) stops.push_back(one.event);
    if (kind == WatchedKind::reset || kind == WatchedKind::edge) jumps.push_back(one);
    if (kind != WatchedKind::record) continue;
    EventRecord record = records_.note(one.event, EventKind::record, instant_.round);
    record.reason = one.cause == Cause::beyond ? reason::kBeyondAlready : reason::kCarriedPast;
    records.push_back(std::move(record));
    waiting_.wait_again(one.event);
  }
  if (stops.empty()) return fire_round(jumps, at_start, records);
  // The run ends here, so nothing has to be classified: the sides are those of the signs.
  Meeting meeting;
  take_sides_of_state(false, meeting);
  if (!records.empty()) records.back().to = now_.word();
  for (const Index e : stops) records.push_back(records_.note(e, EventKind::stop, instant_.round));
  leave_undone(jumps);
  records_.finish_stopped(stops.front());
  return false;
}

void EventFiring::leave_undone(const std::vector<Index>& jumps) {
  for (const Index e : jumps) {
    const Watched& watched = now_.here->watch[e];
    const bool is_edge = watched.kind == WatchedKind::edge;
    now_.here->guards.set_fired_at_zero(e, true);
    now_.agenda.schedule.add({.t = now_.t,
                              .is_edge = is_edge,
                              .by = BroughtBy::crossing,
                              .of = is_edge ? watched.edge : watched.event});
  }
}

void EventFiring::leave_undone(const std::vector<Crossed>& jumps) {
  std::vector<Index> events;
  for (const Crossed& one : jumps) events.push_back(one.event);
  leave_undone(events);
}

bool EventFiring::fire_undone(const PendingAction& action, bool at_start, std::vector<EventRecord>& records) {
  const EventWatch& watch = now_.here->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    const Watched& one = watch[e];
    const bool is_edge = one.kind == WatchedKind::edge;
    if (is_edge != action.is_edge || (!is_edge && one.kind != WatchedKind::reset)) continue;
    if ((is_edge ? one.edge : one.event) != action.of) continue;
    return fire(e, at_start, records, waiting_.is_zero(e) ? Cause::zero : Cause::jump);
  }
  return true;
}

bool EventFiring::fire_round(const std::vector<Crossed>& jumps, bool at_start,
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

bool EventFiring::fire_by_priority(const std::vector<Crossed>& jumps, bool at_start,
                                   std::vector<EventRecord>& records, const DueActions& due) {
  // The order where priorities are the same is that of this list.
  struct Due {
    int priority = 0;
    const Crossed* crossed = nullptr;
    const PendingAction* action = nullptr;
    Index time_event = -1;
  };
  const EventWatch& watch = now_.here->watch;
  const System& system = now_.tools.automaton().system();
  std::vector<Due> all;
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
                   [](const Due& one, const Due& other) { return one.priority > other.priority; });
  bool has_left = false;
  for (const Due& one : all) {
    if (one.time_event >= 0) {
      if (!fire_time_event(one.time_event, at_start, records)) return false;
      continue;
    }
    const std::string location = now_.here->name;
    if (one.action && one.action->by == BroughtBy::crossing) {
      if (!has_left && !fire_undone(*one.action, at_start, records)) return false;
      has_left = has_left || one.action->is_edge;
    } else if (one.action) {
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

bool EventFiring::fire(Index event, bool at_start, std::vector<EventRecord>& records, Cause cause) {
  now_.here->guards.set_has_fired(event);
  // A limit that was jumped to leads to the mode found there.
  if (!records.empty() && !records.back().to) records.back().to = now_.word();
  const Watched watched = now_.here->watch[event];
  EventRecord record;
  record.t = now_.t;
  record.name = optional_name(watched.name);
  if (!at_start || !records.empty()) record.from = now_.word();
  record.round = instant_.round;
  // A large system has many such records at one instant, and the log keeps no states of them.
  const bool keeps_states = now_.keeps_states();
  if (keeps_states) record.before = now_.x;
  if (cause == Cause::beyond && watched.initially == Initially::by_rule) {
    if (const std::optional<EntryWarning> warning = way_back_warning(now_, event))
      log_.warn_once(warning->opening, warning->text);
  }
  // One that a jump has carried past zero is not zero within errors.
  if (cause != Cause::jump) jumps_.note_zero(watched.when, now_.here->guards.event(event).noise);
  if (watched.delay.time > 0) return trigger(event, std::move(record), records);
  bool stays = false;
  if (watched.reset) {
    const Vector after = state_after("reset", watched.name, watched.reset);
    stays = after == now_.x && watched.kind == WatchedKind::reset;
    if (!set_state("reset", watched.name, after)) return false;
  }
  if (keeps_states) record.after = now_.x;
  record.kind = EventKind::reset;
  record.reason = cause == Cause::beyond ? reason::kBeyondAlready
                  : cause == Cause::jump ? reason::kCarriedPast
                                         : reason::kCrosses;
  if (stays) record.reason += reason::kResetChangesNothing;
  records_.note_member(watched.kind == WatchedKind::edge ? static_cast<Index>(watched.edge)
                                                         : kEventMembers + event);
  if (watched.kind == WatchedKind::edge) {
    const Edge& edge = now_.tools.automaton().edges()[watched.edge];
    record.from_location = now_.here->name;
    if (!edge.zeno.empty()) jumps_.resting_location = edge.zeno;
    if (edge.to != now_.here->name) record.kind = EventKind::transition;
    if (instant_.last_edge && undo_each_other(now_.tools.automaton().edges()[*instant_.last_edge], edge))
      return slide_between(*instant_.last_edge, watched.edge, records);
    const bool same = edge.to == edge.from && !now_.regime.in_pair();
    const std::size_t to = now_.tools.automaton().location_index(edge.to);
    if (!same && !now_.agenda.states_held().empty()) {
      log_.finish(Status::zeno, "a transition leaves '" + now_.here->name +
                                    "' at t = " + number_text(now_.t) + " while " +
                                    now_.agenda.limits.front().record.reason +
                                    ", in which more of its events are than can be told apart");
      return false;
    }
    if (!same) {
      drop_actions_of(edge.from);
      const LocationTools& before = *now_.here;
      switch_.enter(to);
      carry_fired(before);
    }
    if (same) {
      now_.here->guards.set_fired_at_zero(event, true);
      waiting_.wait_again(event);
    }
    instant_.last_edge = watched.edge;
    record.to_location = now_.here->name;
  } else {
    now_.here->guards.set_fired_at_zero(event, true);
    waiting_.wait_again(event);
  }
  // Every guard is looked at again.
  now_.here->guards.disarm_events();
  record.to = now_.word();
  records.push_back(std::move(record));
  return true;
}

void EventFiring::carry_fired(const LocationTools& before) {
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  waiting_.look_at_waiting();
  watch.for_same(before.watch, [&](Index theirs, Index mine) {
    if (watch[mine].kind == WatchedKind::edge) return;
    if (before.guards.event(theirs).fired_at_zero) guards.set_fired_at_zero(mine, true);
    guards.set_side(mine, before.guards.side(theirs));
    if (before.guards.has_looked()) guards.set_waiting(mine, before.guards.event(theirs).waiting);
  });
}

bool EventFiring::slide_between(std::size_t first_edge, std::size_t second_edge,
                                std::vector<EventRecord>& records) {
  const LocationTools& before = *now_.here;
  switch_.enter_pair(first_edge, second_edge);
  const Index between = now_.regime.mode().size() - 1;
  // The surface between the locations is met; the classification decides what it does.
  now_.regime.slide(between, 0);
  instant_.moved = false;
  carry_fired(before);
  instant_.last_edge.reset();
  // The first of the two transitions becomes the entry into sliding; what was noted since then stays.
  const auto first = std::find_if(records.rbegin(), records.rend(),
                                  [](const EventRecord& one) { return one.kind == EventKind::transition; });
  EventRecord& record = first == records.rend() ? records.back() : *first;
  record.kind = EventKind::sliding_entry;
  record.to_location = now_.here->name;
  record.surfaces = {between};
  record.surface_names = {now_.surface_name(between)};
  record.w_minus = {kNotANumber};
  record.w_plus = {kNotANumber};
  record.lambda = {kNotANumber};
  record.reason = reason::kEdgesUndo;
  record.to = now_.word();
  return true;
}

void EventFiring::leave_pair(EventRecord* record) {
  const Place place = now_.regime.place;
  const RunTools::Pair& pair = now_.tools.of_pair(place.first_edge, place.second_edge);
  const bool above = now_.regime.mode()[now_.regime.mode().size() - 1] == Side::plus;
  if (record && !record->from_location) record->from_location = now_.here->name;
  instant_.departed = pair.guard;
  const LocationTools& before = *now_.here;
  switch_.enter(above ? pair.plus : pair.minus);
  instant_.moved = false;
  carry_fired(before);
  instant_.last_edge.reset();
  if (record) record->to_location = now_.here->name;
}

Vector EventFiring::state_after(const char* kind, const std::string& name, const ResetFunction& reset) {
  Vector after = now_.x;
  named_call([&] { return title_of(kind, name); }, [&] { reset(now_.t, now_.x, after); });
  return after;
}

bool EventFiring::set_state(const char* kind, const std::string& name, const Vector& after) {
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

bool EventFiring::fire_time_event(Index event, bool at_start, std::vector<EventRecord>& records) {
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
  records_.note_member(kTimeMembers + event);
  if (!at_start) record.to = now_.word();
  records.push_back(std::move(record));
  return true;
}

// The sides before that are those of the signs.
bool EventFiring::fire_at_start(std::vector<EventRecord>& records) {
  if (!now_.agenda.schedule.is_due(now_.t)) return true;
  Meeting meeting;
  if (!take_sides_of_state(false, meeting)) return false;
  log_.solution().initial.mode = now_.word();
  return fire_by_priority({}, true, records, now_.agenda.schedule.take(now_.t));
}

bool EventFiring::trigger(Index event, EventRecord&& record, std::vector<EventRecord>& records) {
  const Watched& watched = now_.here->watch[event];
  PendingAction action;
  action.t = now_.t + watched.delay.time;
  action.is_edge = watched.kind == WatchedKind::edge;
  action.of = action.is_edge ? watched.edge : watched.event;
  if (watched.reset && watched.delay.values == DelayedValues::trigger) {
    const Vector after = state_after("reset", watched.name, watched.reset);
    const std::vector<Index>& sets = watched.delay.sets;
    action.values.resize(sets.empty() ? after.size() : static_cast<Index>(sets.size()));
    if (sets.empty()) action.values = after;
    for (std::size_t k = 0; k < sets.size(); ++k) action.values[static_cast<Index>(k)] = after[sets[k]];
  }
  record.kind = EventKind::record;
  record.reason = reason::acts_at(action.t);
  record.after = record.before;
  record.to = now_.word();
  now_.agenda.schedule.add(std::move(action));
  now_.here->guards.set_fired_at_zero(event, true);
  waiting_.wait_again(event);
  records_.note_member(kTriggeredMembers + event);
  records.push_back(std::move(record));
  return true;
}

bool EventFiring::act(const PendingAction& action, std::vector<EventRecord>& records) {
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
      for (std::size_t k = 0; k < delay.sets.size(); ++k)
        after[delay.sets[k]] = action.values[static_cast<Index>(k)];
      const auto* const told = reset.target<DifferentiableReset>();
      if (told && told->followers()) told->followers()(now_.t, Vector(after), after);
    } else {
      after = state_after("reset", name, reset);
    }
    if (!set_state("reset", name, after)) return false;
  }
  if (keeps_states) record.after = now_.x;
  records_.note_member(kDelayedMembers + static_cast<Index>(action.of));
  if (edge) {
    record.from_location = now_.here->name;
    if (edge->to != now_.here->name) {
      record.kind = EventKind::transition;
      drop_actions_of(edge->from);
      const LocationTools& before = *now_.here;
      switch_.enter(now_.tools.automaton().location_index(edge->to));
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

void EventFiring::drop_actions_of(const std::string& location) {
  if (!now_.agenda.schedule.has_actions()) return;
  now_.agenda.schedule.drop([&](const PendingAction& action) {
    return action.is_edge && now_.tools.automaton().edges()[action.of].from == location;
  });
}

}  // namespace slideway
