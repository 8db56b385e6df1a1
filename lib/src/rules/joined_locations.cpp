// ModeManager on the guard between two locations whose edges undo each other: it slides there as one system with a surface does.

#include <algorithm>

#include "rules/mode_manager.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

// Its surface is the last one; the mode is found, or said, afterwards.
void ModeManager::enter_pair(const RunTools::Pair& pair) {
  now_.regime.pair = &pair;
  now_.regime.second_order.clear();
  take_tools(*pair.tools);
  now_.regime.location = pair.minus;
  Mode mode(now_.here->system.surfaces());
  for (Index i = 0; i < std::min(mode.size(), now_.mode.size()); ++i) mode.set(i, now_.mode[i]);
  now_.mode = mode;
  now_.lambda.conservativeResizeLike(Vector::Zero(now_.mode.size()));
  size_guard_vectors();
}

bool ModeManager::slide_between(std::size_t first_edge, std::size_t second_edge,
                                std::vector<EventRecord>& records) {
  const LocationTools& before = *now_.here;
  enter_pair(now_.tools.of_pair(first_edge, second_edge));
  const Index between = now_.mode.size() - 1;
  // The surface between the locations is met; the classification decides what it does.
  now_.mode.set(between, Side::sliding);
  now_.lambda[between] = 0;
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

// The surface between the locations no longer holds the solution.
void ModeManager::leave_pair(EventRecord* record) {
  const RunTools::Pair& pair = *now_.regime.pair;
  const bool above = now_.mode[now_.mode.size() - 1] == Side::plus;
  if (record && !record->from_location) record->from_location = now_.here->name;
  instant_.departed = pair.guard;
  const LocationTools& before = *now_.here;
  enter(above ? pair.plus : pair.minus);
  instant_.moved = false;
  carry_fired(before);
  instant_.last_edge.reset();
  if (record) record->to_location = now_.here->name;
}

}  // namespace slideway
