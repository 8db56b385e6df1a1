// RunEngine on the guard between two locations whose edges undo each other: it slides there as one system with a surface does.

#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool RunEngine::slide_between(std::size_t first_edge, std::size_t second_edge,
                              std::vector<EventRecord>& records) {
  pair_ = &tools_.of_pair(first_edge, second_edge);
  const EventWatch& watch_before = here_->watch;
  const Mode before = mode_;
  const Vector lambda = lambda_;
  here_ = pair_->tools.get();
  affine_ = nullptr;
  location_ = pair_->minus;
  mode_ = Mode(here_->system.surfaces());
  lambda_ = Vector::Zero(mode_.size());
  for (Index i = 0; i < before.size(); ++i) {
    mode_.set(i, before[i]);
    lambda_[i] = lambda[i];
  }
  // The surface between the locations is met; the classification decides what it does.
  mode_.set(before.size(), Side::sliding);
  size_guard_vectors();
  instant_.moved = false;
  carry_fired(watch_before);
  instant_.last_edge.reset();
  // The first of the two transitions becomes the entry into sliding.
  EventRecord& record = records.back();
  record.kind = EventKind::sliding_entry;
  record.to_location = here_->name;
  record.surfaces = {before.size()};
  record.surface_names = {surface_name(before.size())};
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
