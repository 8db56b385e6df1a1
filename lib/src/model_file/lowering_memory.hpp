// The states that functions of expressions make, since their values depend on what has been: the steps of floor(), the side of
// hysteresis(). They are discrete, and the last of the model but for parameters that are states.
// It must not know expressions as they are written.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "expression/expression_graph.hpp"
#include "model_file/lowering.hpp"

namespace slideway::reader {

class MemoryTable {
 public:
  // The model must outlive the table; its states and its start are known before the first state is added.
  explicit MemoryTable(ExpandedModel& model) : model_(model) {}

  // keep_places() makes room for the first states, which parameters that are states come behind.
  void keep_places(std::size_t states);
  std::size_t states() const { return made_.size(); }

  // The largest whole number that is not above slope·t + constant. It steps at known times.
  NodeId steps_in_time(double slope, double constant, const std::string& name);
  // A whole number m that is within 3/4 of the value, which holds no λ: between m − 1 and m + 1 the value has one step, at m.
  NodeId nearest(NodeId value, const std::string& name);
  // 1 since the value has risen through `high`, −1 since it has fallen through `low`, and at the start where it is not above
  // `high`.
  NodeId side_of(NodeId value, NodeId low, NodeId high, const std::string& name);

  bool has_steps_in_time(double slope, double constant) const {
    return steps_in_time_.count({slope, constant}) > 0;
  }
  bool has_nearest(NodeId value) const { return nearest_.count(value) > 0; }
  bool has_side_of(NodeId value, NodeId low, NodeId high) const {
    return sides_.count({value, low, high}) > 0;
  }

  // Gives the states their initial values, and all that the model keeps by state its place for them. Expressions that are asked for later are
  // built for their mistakes only, and get no states.
  void finish();

 private:
  struct Made {
    std::uint32_t state = 0;
    NodeId initial = 0;
  };

  NodeId add_state(const std::string& name, NodeId initial);
  void add_reset(const std::string& name, NodeId guard, Direction direction, NodeId state, NodeId value);
  NodeId rounded(NodeId value);

  ExpandedModel& model_;
  bool is_finished_ = false;
  // The places that are kept and not yet taken.
  std::size_t next_place_ = 0, end_of_places_ = 0;
  std::vector<Made> made_;
  std::map<std::pair<double, double>, NodeId> steps_in_time_;
  std::map<NodeId, NodeId> nearest_;
  std::map<std::tuple<NodeId, NodeId, NodeId>, NodeId> sides_;
};

}  // namespace slideway::reader
