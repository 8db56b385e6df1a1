#include "rules/settle_rules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rules/messages.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

Decision SettleRules::decide() {
  if (instant_.settling == Instant::Settling::settled) return {};
  if (instant_.settling == Instant::Settling::in_mode) return fires_through_zero();
  for (const auto rule :
       {&SettleRules::fires_without_end, &SettleRules::fires_past_zero, &SettleRules::hits}) {
    if (Decision decision = (this->*rule)()) return decision;
  }
  return FindMode();
}

// Events set each other off without end, or are too many.
Decision SettleRules::fires_without_end() {
  if (instant_.repeats > kMostRepeatedRounds)
    return End{Status::chattering, endless_text(now_, instant_.records)};
  const std::size_t noted = log_.solution().events.size() + instant_.records.size() - instant_.published;
  if (instant_.round < 2 || static_cast<Index>(noted) < now_.options.max_events) return {};
  return PublishRecords();
}

// Guards past zero need no mode.
Decision SettleRules::fires_past_zero() {
  GuardTable& guards = now_.here->guards;
  if (!guards.has_looked()) waiting_.look_at_waiting();
  // An event that has fired may fire again once something else has moved the state off its guard.
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    if (guards.event(e).fired_at_zero && !waiting_.is_zero(e)) guards.set_fired_at_zero(e, false);
  }
  std::vector<Crossed> crossed = waiting_.crossed_by_jump();
  if (crossed.empty()) return {};
  return FirePastZero{std::move(crossed)};
}

Decision SettleRules::hits() {
  if (!now_.here->contacts) return {};
  std::vector<Index> touching = touching_contacts(now_, instant_.was_reset);
  const auto approaches = [&](Index c) {
    return now_.here->contacts->rate(now_.t, now_.x, now_.regime.lambda(), c) <
           -now_.here->contacts->rate_rounding(now_.t, now_.x, now_.regime.lambda(), c, now_.weights,
                                               now_.impact_noise);
  };
  if (std::none_of(touching.begin(), touching.end(), approaches)) return {};
  return Hit{std::move(touching)};
}

// The mode must be known.
Decision SettleRules::fires_through_zero() {
  const std::vector<Index> due = motion_.events_moving_through_zero();
  const Guard held = guard_between(due);
  FireThroughZero events;
  for (const Index e : due) {
    const WatchedKind kind = now_.here->watch[e].kind;
    const bool is_note = kind == WatchedKind::record || kind == WatchedKind::stop;
    // It does not go on through the zero at which it comes to slide.
    if (is_note && held && now_.here->watch[e].when == held) continue;
    if (kind == WatchedKind::record) events.records.push_back(e);
    if (kind == WatchedKind::stop) events.stops.push_back(e);
    if (kind == WatchedKind::reset || kind == WatchedKind::edge) events.jumps.push_back({e, Cause::zero});
  }
  if (events.records.empty() && events.stops.empty() && events.jumps.empty()) return {};
  return events;
}

// The guard of the edge that fires next, where that edge undoes the last one: the solution slides along this guard.
Guard SettleRules::guard_between(const std::vector<Index>& due) const {
  const auto jumps = [&](Index e) {
    return now_.here->watch[e].kind == WatchedKind::reset || now_.here->watch[e].kind == WatchedKind::edge;
  };
  const auto next = std::find_if(due.begin(), due.end(), jumps);
  if (!instant_.last_edge || next == due.end() || now_.here->watch[*next].kind != WatchedKind::edge)
    return {};
  const Edge& edge = now_.tools.automaton().edges()[now_.here->watch[*next].edge];
  return undo_each_other(now_.tools.automaton().edges()[*instant_.last_edge], edge) ? edge.when : Guard();
}

}  // namespace slideway
