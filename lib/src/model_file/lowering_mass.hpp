// The mass matrix of a model, M·x' = f(t, x, λ), solved for x' among the nodes of the graph:
//
//     M = L·U  once, in an order that keeps few entries and divides by none that is small at the start;
//     x' = U⁻¹·L⁻¹·f  for every right side.
//
// Where the form of a pivot does not tell that it keeps its sign, the row with the largest entry in its column is taken at every
// evaluation: the rows change places by `choose`.
//
// The factors of M are in the graph once, so one evaluation factors it once, and derivatives are exact. Rows that are not given are
// those of the identity. It must not know model files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "expression/expression_graph.hpp"
#include "model_file/node_bounds.hpp"

namespace slideway::reader {

class MassMatrix {
 public:
  explicit MassMatrix(ExpressionGraph& graph) : graph_(graph) {}

  void set_known_states(KnownStates known) { known_ = std::move(known); }

  // `value` is that of the entry at the start of the run.
  void add(std::uint32_t row, std::uint32_t column, NodeId entry, double value);
  bool empty() const { return rows_.empty(); }

  // factor() returns false where the matrix is singular at the start; then `singular_row()` tells a row that is
  // made of others.
  bool factor();
  std::uint32_t singular_row() const { return singular_row_; }

  // A number that is zero where the matrix is singular, and changes its sign with the determinant; none where the form of the
  // pivots tells that it never is.
  std::optional<NodeId> singularity() const;

  // M⁻¹ of a right side; entries that are zero may be left out of it, and are of the result.
  using Entries = std::map<std::uint32_t, NodeId>;
  void solve(Entries& sides) const;

 private:
  struct Entry {
    NodeId node = 0;
    double value = 0;
  };
  using Row = std::map<std::uint32_t, Entry>;
  // side of `row` -= factor·side of `pivot`; or the two change places where `factor` is not positive
  struct Step {
    std::uint32_t row = 0;
    std::uint32_t pivot = 0;
    NodeId factor = 0;
    bool swaps = false;
  };
  struct Pivot {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };

  void complete();
  void eliminate(std::uint32_t row, const Pivot& pivot);
  void take_larger(const Pivot& pivot, std::uint32_t other);

  ExpressionGraph& graph_;
  KnownStates known_ = {};
  std::map<std::uint32_t, Row> rows_;  // those that are left, while it is factored; then those of U
  std::map<std::uint32_t, std::vector<std::uint32_t>> in_column_;  // rows that had an entry there
  std::vector<Step> steps_;
  std::vector<Pivot> pivots_;
  std::uint32_t singular_row_ = 0;
};

}  // namespace slideway::reader
