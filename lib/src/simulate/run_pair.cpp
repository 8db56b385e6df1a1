// RunEngine on the guard between two locations whose edges undo each other: it slides there as one system with a surface does.

#include <algorithm>
#include <limits>

#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool RunEngine::slide_between(std::size_t first_edge, std::size_t second_edge,
                              std::vector<EventRecord>& records) {
  const Edge& edge = automaton_.edges()[first_edge];
  const auto key = std::minmax(first_edge, second_edge);
  const auto known = pair_of_edges_.find(key);
  if (known != pair_of_edges_.end()) {
    pair_ = known->second;
  } else {
    const bool rising = edge.direction == Direction::rising;
    Pair pair;
    pair.minus = automaton_.location_index(rising ? edge.from : edge.to);
    pair.plus = automaton_.location_index(rising ? edge.to : edge.from);
    pair.guard = edge.when;
    pair.tools = make_pair_tools(pair.minus, pair.plus, first_edge, second_edge);
    pairs_.push_back(std::move(pair));
    pair_ = static_cast<std::ptrdiff_t>(pairs_.size()) - 1;
    pair_of_edges_[key] = pair_;
  }
  const std::ptrdiff_t pair = pair_;
  const EventWatch& watch_before = here_->watch;
  const Mode before = mode_;
  const Vector lambda = lambda_;
  here_ = pairs_[static_cast<std::size_t>(pair)].tools.get();
  affine_ = nullptr;
  location_ = pairs_[static_cast<std::size_t>(pair)].minus;
  mode_ = Mode(here_->system.surfaces());
  lambda_ = Vector::Zero(mode_.size());
  for (Index i = 0; i < before.size(); ++i) {
    mode_.set(i, before[i]);
    lambda_[i] = lambda[i];
  }
  // The surface between the locations is met; the classification decides what it does.
  mode_.set(before.size(), Side::sliding);
  size_guard_vectors();
  moved_ = false;
  carry_fired(watch_before);
  last_edge_.reset();
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

std::unique_ptr<LocationTools> RunEngine::make_pair_tools(std::size_t minus, std::size_t plus,
                                                          std::size_t first_edge, std::size_t second_edge) {
  const Location& below = automaton_.locations()[minus];
  const Location& above = automaton_.locations()[plus];
  const Edge& edge = automaton_.edges()[first_edge];
  System system = join_locations(below, above, edge.when, edge.name);
  auto structure = std::make_shared<const RelayStructure>(system);
  EventWatch watch(system);
  // What else leaves either location leaves the pair.
  watch.add_edges(automaton_, minus, {first_edge, second_edge});
  watch.add_edges(automaton_, plus, {first_edge, second_edge});
  auto tools = std::make_unique<LocationTools>(std::move(system), std::move(structure), options_,
                                               std::move(watch), joined_name(below, above));
  tools->set_duration(run_.end - run_.start);
  return tools;
}

// The surface between the locations no longer holds the solution.
void RunEngine::leave_pair(EventRecord* record) {
  const Pair& pair = pairs_[static_cast<std::size_t>(pair_)];
  const bool above = mode_[mode_.size() - 1] == Side::plus;
  if (record && !record->from_location) record->from_location = here_->name;
  departed_ = pair.guard;
  const EventWatch& watch_before = here_->watch;
  enter(above ? pair.plus : pair.minus);
  // The last surface was the one between them.
  for (std::vector<Index>* surfaces : {&involved_, &still_leaving_}) {
    surfaces->erase(std::remove(surfaces->begin(), surfaces->end(), mode_.size()), surfaces->end());
  }
  moved_ = false;
  carry_fired(watch_before);
  last_edge_.reset();
  if (record) record->to_location = here_->name;
}

}  // namespace slideway
