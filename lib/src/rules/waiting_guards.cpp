#include "rules/waiting_guards.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/number_text.hpp"

namespace slideway {

void WaitingGuards::look_at_waiting() {
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  const bool begins = instant_.at_start && instant_.round == 0;
  guards.look_at_waiting();
  for (Index e = 0; e < watch.size(); ++e) {
    const double value = now_.here->event_value(now_.t, now_.x, e);
    // A guard that has left zero since it fired may be led through it again.
    if (guards.event(e).fired_at_zero && !is_zero(e)) guards.set_fired_at_zero(e, false);
    const Initially initially = watch[e].initially;
    if (begins && initially == Initially::wait && !(value > 0)) guards.set_waits(e, true);
    // The scan has seen it on its side.
    const bool is_ahead = value > 0 && !guards.event(e).fired_at_zero && value > motion_.zero_level(e);
    if (guards.event(e).armed || is_ahead) {
      guards.set_waiting(e, Waiting::yes);
      guards.set_was_ahead(e);
    } else if (guards.event(e).held && watch[e].direction != Direction::any &&
               std::abs(value) <= motion_.held_level(e)) {
      guards.set_waiting(e, Waiting::held);
    } else if (begins && initially == Initially::fire && !guards.event(e).waits &&
               value < -motion_.zero_level(e)) {
      guards.set_waiting(e, Waiting::due);
    }
  }
}

bool WaitingGuards::is_zero(Index event) const {
  return std::abs(now_.here->event_value(now_.t, now_.x, event)) <= zero_level(event);
}

double WaitingGuards::zero_level(Index event) const {
  return motion_.zero_level(event) + now_.here->guards.event(event).noise;
}

void WaitingGuards::wait_again(Index event) {
  const double value = now_.here->event_value(now_.t, now_.x, event);
  if (!now_.here->guards.has_looked()) return;
  now_.here->guards.set_waiting(event,
                                value > 0 && value > motion_.zero_level(event) ? Waiting::yes : Waiting::no);
}

// A delayed edge whose condition holds is triggered once, not again by every jump until it acts.
bool WaitingGuards::is_on_its_way(const Watched& edge) const {
  return edge.delay.time > 0 && now_.agenda.schedule.any_action([&](const PendingAction& action) {
    return action.is_edge && action.of == edge.edge;
  });
}

std::vector<Crossed> WaitingGuards::crossed_by_jump() {
  std::vector<Crossed> crossed;
  EventWatch& watch = now_.here->watch;
  GuardTable& guards = now_.here->guards;
  for (Index e = 0; e < watch.size(); ++e) {
    if (now_.is_part_of_limit(e)) continue;
    const Watched& watched = watch[e];
    const Waiting waiting = guards.event(e).waiting;
    const double value = now_.here->event_value(now_.t, now_.x, e);
    const bool is_edge = watched.kind == WatchedKind::edge;
    if (is_edge && watched.direction != Direction::any && !std::isfinite(value))
      throw std::runtime_error("the guard of an edge is not finite at t = " + number_text(now_.t));
    if (value > 0) {
      if (waiting != Waiting::yes && value > motion_.zero_level(e)) {
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
    if (!(value < -(waiting == Waiting::held ? motion_.held_level(e) : motion_.zero_level(e)))) continue;
    // A guard in any direction that is on the other side waits for the way back.
    if (watched.direction == Direction::any) {
      guards.turn(e);
      guards.set_waiting(e, Waiting::yes);
    }
    if (crosses || is_past) crossed.push_back({e, crosses ? Cause::jump : Cause::beyond});
  }
  return crossed;
}

}  // namespace slideway
