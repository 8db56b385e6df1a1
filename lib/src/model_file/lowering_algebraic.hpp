// Algebraic variables yₖ = eₖ(t, x, λ, y), solved for y among the nodes of the graph, one after the other:
//
//     rₖ = yₖ − eₖ,      yⱼ from rᵢ = 0:   yⱼ = −rᵢ(yⱼ = 0)/(∂rᵢ/∂yⱼ) where rᵢ is affine in yⱼ,   else yⱼ = root(rᵢ, ∂rᵢ/∂yⱼ),
//
// which is put into the equations that are left. The slopes ∂rᵢ/∂yⱼ must not vanish: they are those of index 1. A root is the only one
// where bounds of the slope over all values tell that it has one sign, and rᵢ has no pole and is defined on one interval of yⱼ; else it is
// followed from the start of the run.
// Surfaces whose signs the unknowns decide (open_sign.hpp) change a slope at a kink: it then must have one sign on both sides, so that one
// branch has a solution, and one only; else rᵢ with the kink in it is searched for the root that is followed.
// It must not know model files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "expression/expression_derivatives.hpp"
#include "expression/expression_graph.hpp"
#include "model_file/node_bounds.hpp"
#include "slideway/core/types.hpp"

namespace slideway::reader {

struct AlgebraicVariable {
  NodeId expression = 0;             // eₖ, in which yⱼ is the unknown number j
  std::optional<NodeId> start = {};  // where the search for a root begins, and that the root may be followed
  double value = 0;                  // about there, at the start of the run
};

// The guard of an open sign.
struct OpenGuard {
  NodeId guard = 0;
  bool is_kink = true;
};

class AlgebraicSystem {
 public:
  // `t` and the states are those of the start of the run; `open` are the guards of open signs, by their numbers.
  AlgebraicSystem(ExpressionGraph& graph, std::vector<AlgebraicVariable> variables, double t,
                  KnownStates known, std::vector<OpenGuard> open = {});

  enum class Failure { none, singular, several };
  // The nodes of all yₖ; none where one of them is not determined, or may be by several values.
  std::optional<std::vector<NodeId>> solve();
  Failure failure() const { return failure_; }
  // The surfaces from `first` on that the slopes depend on by which variables are divided out or searched for.
  std::vector<std::uint32_t> surfaces_in_slopes(std::uint32_t first) const;
  // place() of a failure is the number of an equation or variable.
  std::size_t place() const { return place_; }

 private:
  struct Choice {
    std::size_t equation = 0;
    std::uint32_t variable = 0;
    NodeId slope = 0;
    int cost = 0;
  };

  void differentiate(std::size_t equation);
  std::optional<Choice> choice_in(std::size_t equation);
  bool is_fit(NodeId slope, const std::vector<double>& largest);
  std::vector<double> values(NodeId node) const;
  bool has_unknown(NodeId root, std::uint32_t variable) const;
  NodeId solution(const Choice& choice);
  NodeId followed(const Choice& choice);
  bool is_only(NodeId residual, NodeId slope, std::uint32_t variable);
  bool has_one_interval(NodeId residual, std::uint32_t variable);
  NodeId with_signs_of_guards(NodeId residual);

  ExpressionGraph& graph_;
  std::vector<AlgebraicVariable> variables_;
  double t_;
  KnownStates known_;
  std::vector<OpenGuard> open_;
  std::unordered_map<NodeId, NodeId> solved_;  // of unknowns, by nodes
  std::vector<NodeId> residuals_;
  std::vector<std::vector<PartialDerivative>> slopes_;  // of each residual, by the unknowns
  std::vector<char> is_used_;                           // equations
  std::vector<char> is_known_;                          // variables
  std::vector<NodeId> slopes_taken_;
  Failure failure_ = Failure::none;
  std::size_t place_ = 0;
};

}  // namespace slideway::reader
