// RunEngine on the guard between two locations whose edges undo each other: it slides there as one system with a surface does.

#include <algorithm>

#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

// Its surface is the last one; the mode is found, or said, afterwards.
void RunEngine::enter_pair(const RunTools::Pair& pair) {
  pair_ = &pair;
  second_order_.clear();
  take_tools(*pair.tools);
  location_ = pair.minus;
  Mode mode(here_->system.surfaces());
  for (Index i = 0; i < std::min(mode.size(), mode_.size()); ++i) mode.set(i, mode_[i]);
  mode_ = mode;
  lambda_.conservativeResizeLike(Vector::Zero(mode_.size()));
  size_guard_vectors();
}

bool RunEngine::slide_between(std::size_t first_edge, std::size_t second_edge,
                              std::vector<EventRecord>& records) {
  const EventWatch& watch_before = here_->watch;
  enter_pair(tools_.of_pair(first_edge, second_edge));
  const Index between = mode_.size() - 1;
  // The surface between the locations is met; the classification decides what it does.
  mode_.set(between, Side::sliding);
  lambda_[between] = 0;
  instant_.moved = false;
  carry_fired(watch_before);
  instant_.last_edge.reset();
  // The first of the two transitions becomes the entry into sliding; what was noted since then stays.
  const auto first = std::find_if(records.rbegin(), records.rend(),
                                  [](const EventRecord& one) { return one.kind == EventKind::transition; });
  EventRecord& record = first == records.rend() ? records.back() : *first;
  record.kind = EventKind::sliding_entry;
  record.to_location = here_->name;
  record.surfaces = {between};
  record.surface_names = {surface_name(between)};
  record.w_minus = {kNotANumber};
  record.w_plus = {kNotANumber};
  record.lambda = {kNotANumber};
  record.reason = "the two edges undo each other: the guard attracts from both locations";
  record.to = word();
  return true;
}

// The surface between the locations no longer holds the solution.
void RunEngine::leave_pair(EventRecord* record) {
  const RunTools::Pair& pair = *pair_;
  const bool above = mode_[mode_.size() - 1] == Side::plus;
  if (record && !record->from_location) record->from_location = here_->name;
  instant_.departed = pair.guard;
  const EventWatch& watch_before = here_->watch;
  enter(above ? pair.plus : pair.minus);
  // The last surface was the one between them.
  leaving_.drop(mode_.size());
  instant_.moved = false;
  carry_fired(watch_before);
  instant_.last_edge.reset();
  if (record) record->to_location = here_->name;
}

}  // namespace slideway
