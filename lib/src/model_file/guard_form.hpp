// The form of a guard that all guards with the same zeros share, where sums of products tell it:
//
//     Σ cⱼ·mⱼ,      mⱼ products of whole powers of nodes, c = 1 for the first of them,
//
// of the guard without factors of one sign. 2x − 2, 1 − x, (x − 1)·eʸ, (x − 1)³ and x·(x + 1) − x² − 1 have the form x − 1.
// It must not know surfaces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "expression/expression_graph.hpp"
#include "model_file/node_bounds.hpp"

namespace slideway::reader {

// The powers of nodes in a product, by nodes; the constant 1 has none.
using Monomial = std::vector<std::pair<NodeId, int>>;

struct GuardForm {
  std::vector<Monomial> monomials = {};
  std::vector<double> coefficients = {};
  // 1 where the guard and the form have the same sign, −1 where they have opposite ones.
  int sign = 1;
};

// Nothing for a guard with very many terms, or without a term that is not constant. `known` are parameters with values.
std::optional<GuardForm> guard_form(const ExpressionGraph& graph, NodeId guard, const KnownStates& known);

// Numbers that are found by a form, whose coefficients may differ by rounding.
class NumbersByForm {
 public:
  std::optional<std::uint32_t> find(const GuardForm& form) const;
  void add(const GuardForm& form, std::uint32_t number);

 private:
  struct Entry {
    std::vector<double> coefficients;
    std::uint32_t number;
  };
  // Forms of the same monomials, by a weighted sum of their coefficients.
  std::map<std::vector<Monomial>, std::multimap<double, Entry>> entries_;
};

}  // namespace slideway::reader
