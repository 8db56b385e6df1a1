#include "model_file/lowering_mass.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "model_file/node_bounds.hpp"

namespace slideway::reader {
namespace {

// An entry that a row is divided by is at least this part of the largest of the row.
constexpr double kLeastPivot = 0.1;

// A row of which no more than this part is left is made of others.
constexpr double kRoundingOfRows = 1e-13;

}  // namespace

void MassMatrix::add(std::uint32_t row, std::uint32_t column, NodeId entry, double value) {
  Row& entries = rows_[row];
  if (!graph_.is_constant(entry, 0)) entries[column] = {entry, value};
}

// States of which other rows have an entry have a row of the identity.
void MassMatrix::complete() {
  std::set<std::uint32_t> columns;
  for (const auto& [row, entries] : rows_)
    for (const auto& [column, entry] : entries) columns.insert(column);
  for (const std::uint32_t column : columns)
    if (rows_.count(column) == 0) rows_[column][column] = {graph_.constant(1), 1};
  for (const auto& [row, entries] : rows_)
    for (const auto& [column, entry] : entries) in_column_[column].push_back(row);
}

bool MassMatrix::factor() {
  complete();
  std::map<std::uint32_t, double> sizes;
  std::set<std::pair<std::size_t, std::uint32_t>> left;  // rows by their number of entries
  for (const auto& [row, entries] : rows_) {
    double& size = sizes[row];
    for (const auto& [column, entry] : entries) size = std::max(size, std::abs(entry.value));
    left.insert({entries.size(), row});
  }
  while (!left.empty()) {
    const std::uint32_t row = left.begin()->second;
    left.erase(left.begin());
    double largest = 0;
    for (const auto& [column, entry] : rows_[row]) largest = std::max(largest, std::abs(entry.value));
    if (!(largest > kRoundingOfRows * sizes[row])) {
      singular_row_ = row;
      return false;
    }
    // Its own column where that will do: a matrix that is symmetric and positive stays so.
    std::uint32_t best = 0;
    std::size_t fewest = 0;
    for (const auto& [column, entry] : rows_[row]) {
      if (!(std::abs(entry.value) >= kLeastPivot * largest)) continue;
      const std::size_t others = column == row ? 1 : 1 + in_column_[column].size();
      if (fewest != 0 && others >= fewest) continue;
      best = column;
      fewest = others;
    }
    if (!has_one_sign(graph_, rows_[row].at(best).node)) {
      const std::vector<std::uint32_t> candidates = in_column_[best];
      for (const std::uint32_t other : candidates) {
        if (other == row || left.count({rows_[other].size(), other}) == 0 || rows_[other].count(best) == 0)
          continue;
        left.erase({rows_[other].size(), other});
        take_larger({row, best}, other);
        left.insert({rows_[other].size(), other});
      }
    }
    const std::vector<std::uint32_t> touched = in_column_[best];
    for (const std::uint32_t other : touched) {
      if (other == row || left.count({rows_[other].size(), other}) == 0) continue;
      left.erase({rows_[other].size(), other});
      eliminate(other, {row, best});
      left.insert({rows_[other].size(), other});
    }
    pivots_.push_back({row, best});
  }
  return true;
}

// The rows change places where the other one's entry is larger.
void MassMatrix::take_larger(const Pivot& pivot, std::uint32_t other) {
  Row& row = rows_[pivot.row];
  Row& candidate = rows_[other];
  const auto size = [&](const Row& of) {
    return graph_.unary(Operation::absolute, of.at(pivot.column).node);
  };
  const NodeId stays = graph_.subtract(size(row), size(candidate));
  const bool stay = std::abs(row.at(pivot.column).value) > std::abs(candidate.at(pivot.column).value);
  std::set<std::uint32_t> columns;
  for (const Row* one : {&row, &candidate})
    for (const auto& [column, entry] : *one) columns.insert(column);
  const Entry zero{graph_.constant(0), 0};
  for (const std::uint32_t column : columns) {
    const auto of = [&](const Row& one) {
      const auto found = one.find(column);
      return found == one.end() ? zero : found->second;
    };
    const Entry a = of(row);
    const Entry b = of(candidate);
    for (const std::uint32_t number : {pivot.row, other})
      if (rows_[number].count(column) == 0) in_column_[column].push_back(number);
    row[column] = {graph_.choose(stays, a.node, b.node), stay ? a.value : b.value};
    candidate[column] = {graph_.choose(stays, b.node, a.node), stay ? b.value : a.value};
  }
  steps_.push_back({pivot.row, other, stays, true});
}

// Takes the pivot's column out of a row.
void MassMatrix::eliminate(std::uint32_t row, const Pivot& pivot) {
  Row& entries = rows_[row];
  const auto here = entries.find(pivot.column);
  if (here == entries.end()) return;
  const Row& by = rows_[pivot.row];
  const Entry divisor = by.at(pivot.column);
  const Entry factor{graph_.divide(here->second.node, divisor.node), here->second.value / divisor.value};
  entries.erase(here);
  for (const auto& [column, entry] : by) {
    if (column == pivot.column) continue;
    const auto [place, is_new] = entries.try_emplace(column, Entry{graph_.constant(0), 0});
    if (is_new) in_column_[column].push_back(row);
    Entry& one = place->second;
    one.node = graph_.subtract(one.node, graph_.multiply(factor.node, entry.node));
    one.value -= factor.value * entry.value;
    if (graph_.is_constant(one.node, 0)) entries.erase(place);
  }
  steps_.push_back({row, pivot.row, factor.node, false});
}

std::optional<NodeId> MassMatrix::singularity() const {
  std::vector<NodeId> open;
  for (const Pivot& pivot : pivots_) {
    const NodeId node = rows_.at(pivot.row).at(pivot.column).node;
    if (!has_one_sign(graph_, node)) open.push_back(node);
  }
  if (open.empty()) return std::nullopt;
  NodeId product = open.front();
  for (std::size_t k = 1; k < open.size(); ++k) product = graph_.multiply(product, open[k]);
  // Rows that change places change the sign.
  for (const Step& step : steps_)
    if (step.swaps)
      product = graph_.multiply(product, graph_.choose(step.factor, graph_.constant(1), graph_.constant(-1)));
  return product;
}

void MassMatrix::solve(Entries& sides) const {
  const NodeId zero = graph_.constant(0);
  const auto at = [&](std::uint32_t row) {
    const auto found = sides.find(row);
    return found == sides.end() ? zero : found->second;
  };
  for (const Step& step : steps_) {
    if (step.swaps) {
      const NodeId a = at(step.row);
      const NodeId b = at(step.pivot);
      sides[step.row] = graph_.choose(step.factor, a, b);
      sides[step.pivot] = graph_.choose(step.factor, b, a);
      continue;
    }
    const NodeId by = at(step.pivot);
    if (graph_.is_constant(by, 0)) continue;
    sides[step.row] = graph_.subtract(at(step.row), graph_.multiply(step.factor, by));
  }
  Entries solved;
  for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
    NodeId side = at(pivot->row);
    const Row& entries = rows_.at(pivot->row);
    for (const auto& [column, entry] : entries) {
      const auto known = solved.find(column);
      if (column == pivot->column || known == solved.end()) continue;
      side = graph_.subtract(side, graph_.multiply(entry.node, known->second));
    }
    const NodeId value = graph_.divide(side, entries.at(pivot->column).node);
    if (!graph_.is_constant(value, 0)) solved[pivot->column] = value;
  }
  for (const Pivot& pivot : pivots_) sides.erase(pivot.row);
  for (const auto& [column, value] : solved) sides[column] = value;
}

}  // namespace slideway::reader
