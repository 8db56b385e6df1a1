#include "model_file/lowering_memory.hpp"

#include <algorithm>
#include <cmath>

#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"

namespace slideway::reader {

namespace {

// kNearWhole tells how far from a whole number, of what is near one, a step counts as one that is due.
constexpr double kNearWhole = 1e-9;

// The next whole number takes over at this distance from the nearest one. It is beyond 1/2, so that a value that
// goes to and fro about the middle does not change it each time, and below 1, where the next step is.
constexpr double kTakesOver = 0.75;

}  // namespace

void MemoryTable::keep_places(std::size_t states) {
  next_place_ = model_.state_names.size();
  end_of_places_ = next_place_ + states;
  model_.state_names.resize(end_of_places_);
  model_.discrete += static_cast<Index>(states);
  const Index before = model_.initial.size(), more = static_cast<Index>(states);
  model_.initial.conservativeResize(before + more);
  model_.initial.tail(more).setZero();
}

NodeId MemoryTable::add_state(const std::string& name, NodeId initial) {
  std::vector<std::string>& names = model_.state_names;
  std::string unique = name;
  for (int copy = 2; std::find(names.begin(), names.end(), unique) != names.end(); ++copy)
    unique = name + " (" + std::to_string(copy) + ")";
  std::uint32_t state = 0;
  if (next_place_ < end_of_places_) {
    state = static_cast<std::uint32_t>(next_place_++);
    names[state] = unique;
  } else {
    state = static_cast<std::uint32_t>(names.size());
    names.push_back(unique);
    ++model_.discrete;
  }
  made_.push_back({state, initial});
  return model_.graph.state(state);
}

void MemoryTable::add_reset(const std::string& name, NodeId guard, Direction direction, NodeId state,
                            NodeId value) {
  ExpandedEvent reset;
  reset.name = name;
  reset.guard = guard;
  reset.direction = direction;
  reset.set.push_back({model_.graph[state].a, value, {}});
  model_.resets.push_back(std::move(reset));
}

NodeId MemoryTable::rounded(NodeId value) {
  ExpressionGraph& graph = model_.graph;
  return graph.unary(Operation::floor, graph.add(value, graph.constant(0.5)));
}

NodeId MemoryTable::steps_in_time(double slope, double constant, const std::string& name) {
  const auto known = steps_in_time_.find({slope, constant});
  if (known != steps_in_time_.end()) return known->second;
  if (is_finished_) return model_.graph.constant(0);
  ExpressionGraph& graph = model_.graph;
  const bool rises = slope > 0;
  const NodeId value =
      graph.add(graph.multiply(graph.constant(slope), graph.time()), graph.constant(constant));
  const NodeId state = add_state(name, graph.unary(Operation::floor, value));
  const double at_start = slope * model_.start + constant;
  const double first = rises ? std::ceil(at_start - kNearWhole) : std::floor(at_start + kNearWhole);
  ExpandedEvery every;
  every.times.name = name;
  every.times.period = 1 / std::abs(slope);
  every.times.offset = (first - constant) / slope;
  every.times.priority = kBeforeAll;
  const NodeId reached = rounded(value);
  every.set.push_back({graph[state].a, rises ? reached : graph.subtract(reached, graph.constant(1)), {}});
  model_.every.push_back(std::move(every));
  return steps_in_time_[{slope, constant}] = state;
}

NodeId MemoryTable::nearest(NodeId value, const std::string& name) {
  const auto known = nearest_.find(value);
  if (known != nearest_.end()) return known->second;
  if (is_finished_) return model_.graph.constant(0);
  ExpressionGraph& graph = model_.graph;
  const NodeId reached = rounded(value);
  const NodeId state = add_state(name, reached);
  const NodeId off = graph.subtract(value, state);
  const NodeId far = graph.constant(kTakesOver);
  add_reset(name, graph.subtract(off, far), Direction::rising, state, reached);
  add_reset(name, graph.add(off, far), Direction::falling, state, reached);
  return nearest_[value] = state;
}

NodeId MemoryTable::side_of(NodeId value, NodeId low, NodeId high, const std::string& name) {
  const auto known = sides_.find({value, low, high});
  if (known != sides_.end()) return known->second;
  if (is_finished_) return model_.graph.constant(0);
  ExpressionGraph& graph = model_.graph;
  const NodeId one = graph.constant(1);
  const NodeId minus_one = graph.constant(-1);
  const NodeId above = graph.subtract(value, high);
  const NodeId state = add_state(name, graph.choose(above, one, minus_one));
  add_reset(name, above, Direction::rising, state, one);
  add_reset(name, graph.subtract(value, low), Direction::falling, state, minus_one);
  return sides_[{value, low, high}] = state;
}

void MemoryTable::finish() {
  is_finished_ = true;
  if (made_.empty()) return;
  const std::size_t count = model_.state_names.size();
  const auto old = model_.initial.size();
  model_.initial.conservativeResize(static_cast<Index>(count));
  model_.initial.tail(static_cast<Index>(count) - old).setZero();
  for (const Made& made : made_) {
    const Tape tape(model_.graph, {made.initial});
    model_.initial[static_cast<Index>(made.state)] = tape.value<double>(point(model_.start, model_.initial));
  }
  if (model_.atol.size() > 1) model_.atol.resize(count, 1);
  const NodeId zero = model_.graph.constant(0);
  for (ExpandedMotion& motion : model_.motions) {
    motion.derivatives.resize(count, zero);
    motion.places.resize(count);
  }
}

}  // namespace slideway::reader
