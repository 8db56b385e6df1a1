// Inputs of tapes as plain values, and a node of a graph evaluated at them.
#pragma once

#include <vector>

#include "expression/expression_tape.hpp"

namespace slideway::test {

struct TapeValues {
  double t = 0;
  std::vector<double> x = {};
  std::vector<double> lambdas = {};
  double speed = 0;

  double time() const { return t; }
  double impact() const { return speed; }
  double state(std::uint32_t index) const { return x[index]; }
  double lambda(std::uint32_t index) const { return lambdas[index]; }
};

inline double value_at(const reader::ExpressionGraph& graph, reader::NodeId node, const TapeValues& values) {
  return reader::Tape(graph, {node}).value<double>(values);
}

}  // namespace slideway::test
