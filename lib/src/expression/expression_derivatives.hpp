// Exact partial derivatives of expressions, as further nodes of the same graph, and with them the exact sparsity
// of a Jacobian.
//
//     ∂/∂y select(k; p, q) = select(k; ∂p/∂y, ∂q/∂y),      ∂/∂λₖ select(k; p, q) = (p − q)/2,
//
// so that a derivative, too, needs only the branch in force, and of y = root(y; r, s, g)
//
//     ∂y/∂x = −(∂r/∂x)/s at y.
// It must not know model files or systems.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expression/expression_graph.hpp"

namespace slideway::reader {

// The variables to differentiate by. A surface's λ is constant when differentiating by the state, and the other way round.
enum class Variables { states, lambdas, time, unknowns };

struct PartialDerivative {
  std::uint32_t variable = 0;  // index of the state or surface, number of the unknown; 0 for time
  NodeId value = 0;            // the constant 0 only where add_states_of_jumps has put it
};

// The derivatives of one expression, by ascending variable; those that vanish identically are left out.
using Gradient = std::span<const PartialDerivative>;

// The gradients of some expressions, in one array.
class Gradients {
 public:
  std::size_t size() const { return ends_.size(); }
  Gradient operator[](std::size_t k) const {
    return Gradient(entries_).subspan(begin(k), ends_[k] - begin(k));
  }
  Gradient front() const { return (*this)[0]; }
  const std::vector<PartialDerivative>& entries() const { return entries_; }

  void reserve(std::size_t rows, std::size_t entries) {
    ends_.reserve(rows);
    entries_.reserve(entries);
  }
  void push_back(Gradient row) {
    entries_.insert(entries_.end(), row.begin(), row.end());
    ends_.push_back(entries_.size());
  }

 private:
  std::size_t begin(std::size_t k) const { return k == 0 ? 0 : ends_[k - 1]; }

  std::vector<PartialDerivative> entries_;
  std::vector<std::size_t> ends_;
};

// kMostPartialDerivatives is the number of entries that the gradients of all nodes on the way may have.
inline constexpr std::size_t kMostPartialDerivatives = 100'000'000;

// One gradient for each root; nothing when they would hold more than `most_entries` on the way.
std::optional<Gradients> gradients(ExpressionGraph& graph, const std::vector<NodeId>& roots,
                                   Variables variables, std::size_t most_entries = kMostPartialDerivatives);

// ∂h/∂t + ∂h/∂x·f, the rate of an expression h with these gradients along the motion x' = f.
NodeId rate_along(ExpressionGraph& graph, Gradient by_time, Gradient by_state,
                  const std::vector<NodeId>& motion);

// A mark for each node whose value depends on states or time by more than derivatives tell: a floor, sign, step, absolute or choose of
// what varies is in it.
std::vector<char> jumping_nodes(const ExpressionGraph& graph);

// Adds the states that the roots among these nodes are made of and have no derivative by, with the constant 0.
void add_states_of_jumps(ExpressionGraph& graph, const std::vector<char>& jumping,
                         const std::vector<NodeId>& roots, Gradients& by_state);

}  // namespace slideway::reader
