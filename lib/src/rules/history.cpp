#include "rules/history.hpp"

#include <algorithm>
#include <limits>

#include "simulate/precision.hpp"

namespace slideway {

namespace {

// A series of so many events holds several of the longest turns.
constexpr std::size_t kMostOfSeries = 64;

void add(const std::vector<Index>& more, std::vector<Index>& list) {
  list.insert(list.end(), more.begin(), more.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// A number for what changes in an event that is more than a crossing: other than that of any surface.
Index kind_of_turn(const EventRecord& event, const Mode& after) {
  Index code = after.size();
  for (const Index i : event.surfaces) {
    code = (code * 1009 + 3 * i + static_cast<signed char>(after[i]) + 2) % 1'000'000'007;
  }
  return code + after.size();
}

}  // namespace

History::History(Index contacts)
    : jumps(kMostOfSeries),
      turns(kMostOfSeries),
      crossings(kMostOfSeries),
      records(2 * (kChatteringEvents + 1)),
      bounces(contacts) {}

JumpPart part_of(const InstantJumps& jumps, const Vector& before, const Vector& x) {
  JumpPart part;
  part.contacts = jumps.touching;
  if (jumps.zero_guards.empty()) return part;
  for (const InstantJumps::ZeroGuard& zero : jumps.zero_guards) part.guards.push_back(zero.when);
  if (before.size() != x.size()) return part;
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] != before[j]) part.states.push_back(j);
  }
  return part;
}

JumpPart part_of(EventSpan jumps, const Accumulation& accumulation) {
  JumpPart all;
  for (const Index id : accumulation.ids) {
    const auto last =
        std::find_if(jumps.rbegin(), jumps.rend(), [id](const PastEvent& event) { return event.id == id; });
    if (last == jumps.rend()) continue;
    add(last->part.contacts, all.contacts);
    add(last->part.states, all.states);
    all.guards.insert(all.guards.end(), last->part.guards.begin(), last->part.guards.end());
  }
  return all;
}

void note_jump(EventSeries& series, double t, const InstantJumps& jumps, const Vector& before,
               const Vector& x, double accuracy, double error) {
  PastEvent& event = series.note(t, jumps.id, x, accuracy);
  // Every later time, and the limit, is shifted with the first.
  if (series.began() == t) series.set_error_of_first(error);
  // Members of a limit have jumped before.
  if (may_repeat(series.events(), kTurnsOfJumps)) event.part = part_of(jumps, before, x);
}

bool takes_part_in_turns(EventKind kind) {
  return kind == EventKind::crossing || kind == EventKind::sliding_entry || kind == EventKind::sliding_exit ||
         kind == EventKind::corner;
}

bool crosses_one(const EventRecord& event) {
  return event.kind == EventKind::crossing && event.surfaces.size() == 1;
}

void note_turn(EventSeries& turns, double t, const EventRecord& event, const Mode& after, const Vector& x,
               double accuracy) {
  const bool crosses = crosses_one(event);
  const bool are_crossings = are_only_crossings(turns) && crosses;
  const Index id = crosses ? event.surfaces.front() : kind_of_turn(event, after);
  turns.note(t, id, x, accuracy).only_crossings = are_crossings;
}

bool are_only_crossings(const EventSeries& turns) {
  return turns.empty() || turns.before_last(0).only_crossings;
}

bool may_accumulate(const EventSeries& turns) {
  return shrinks(turns.events(), kTurnsRoundIntersection,
                 are_only_crossings(turns) ? kFlightShrinks : kFlightShrinksFast);
}

void note_crossing(EventSeries& crossings, double t, Index surface, const Vector& x) {
  if (!crossings.empty() && crossings.before_last(0).id != surface) crossings.clear();
  crossings.note(t, surface, x, 0);
}

double span_of_last(EventSpan events, std::size_t count) {
  if (events.size() <= count) return std::numeric_limits<double>::infinity();
  return events.back().t - events[events.size() - 1 - count].t;
}

}  // namespace slideway
