// Why a derivative of a model file is not finite: the line it stands on, and the operation whose operands are numbers
// and whose result is none, "sqrt(-1e-12)" or "1/0".
//
// It must not know files or systems.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "expression/expression_graph.hpp"
#include "expression/expression_tape.hpp"
#include "model_file/lowering.hpp"

namespace slideway::reader {

class FieldExplanation {
 public:
  FieldExplanation() = default;
  // FieldExplanation() keeps the nodes of the derivatives of models that are not too large, and their places for
  // all models.
  FieldExplanation(const ExpandedModel& model, const std::vector<NodeId>& derivatives,
                   std::vector<Position> places);

  std::string operator()(double t, ConstVectorRef x, ConstVectorRef lambda, Index state) const;

 private:
  std::string unsolved(double t, ConstVectorRef x, ConstVectorRef lambda) const;
  std::string culprit(double t, ConstVectorRef x, ConstVectorRef lambda, NodeId root) const;

  std::shared_ptr<const SourceText> source_ = {};
  std::vector<Position> places_ = {};  // of the derivatives, one per state
  std::vector<Node> nodes_ = {};
  std::vector<NodeId> roots_ = {};
  std::vector<std::uint32_t> lambda_index_ = {};
  std::unordered_map<NodeId, std::string> ends_of_tables_ = {};
  // The algebraic variables are looked at in place of the nodes in models with roots.
  std::vector<std::string> algebraic_ = {};
  Tape algebraic_values_ = {};
};

}  // namespace slideway::reader
