#include "sensitivity/bordered_jacobian.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/at.hpp"

namespace slideway {

BorderedJacobian::BorderedJacobian(Index states, const Pattern& pattern, Jacobian jacobian)
    : states_(states), pattern_(pattern), jacobian_(std::move(jacobian)) {
  find_entries();
}

void BorderedJacobian::find_entries() {
  for (Index row = 0; row < states_; ++row) {
    bool has_diagonal = false;
    for (Index e = pattern_.start[at(row)]; e < pattern_.start[at(row + 1)]; ++e) {
      const Index column = pattern_.column[at(e)];
      has_diagonal = has_diagonal || column == row;
      Entries& entries = column < states_ ? of_states_ : of_constants_;
      entries.places.push_back({static_cast<int>(row), static_cast<int>(column)});
      entries.from.push_back(e);
    }
    if (has_diagonal) continue;
    of_states_.places.push_back({static_cast<int>(row), static_cast<int>(row)});
    of_states_.from.push_back(-1);
  }
}

// The entries of each column come by increasing rows.
void BorderedJacobian::find_further() {
  further_.clear();
  further_values_.clear();
  const Index n = states_, rank = split_.left.cols();
  const auto add = [&](Index row, Index column, double value) {
    further_.push_back({static_cast<int>(row), static_cast<int>(column)});
    further_values_.push_back(value);
  };
  for (Index r = 0; r < rank; ++r) {
    for (Index row = 0; row < n; ++row)
      if (split_.left(row, r) != 0) add(row, n + r, split_.left(row, r));
    for (Index column = 0; column < n; ++column)
      if (split_.right(column, r) != 0) add(n + r, column, split_.right(column, r));
    add(n + r, n + r, -1);
  }
  for (Index c = 0; c < split_.border_columns.outerSize(); ++c)
    for (Sparse::InnerIterator entry(split_.border_columns, c); entry; ++entry)
      if (entry.row() < n) add(entry.row(), n + rank + c, -entry.value());
  for (Index c = 0; c < std::min(n, split_.border_rows.outerSize()); ++c)
    for (Sparse::InnerIterator entry(split_.border_rows, c); entry; ++entry)
      add(n + rank + entry.row(), c, entry.value());
  for (Index c = 0; c < split_.corner.outerSize(); ++c)
    for (Sparse::InnerIterator entry(split_.corner, c); entry; ++entry)
      add(n + rank + entry.row(), n + rank + c, -entry.value());
}

void BorderedJacobian::find_slots() {
  known_further_ = further_;
  slots_.clear();
  like_.resize(size_, size_);
  like_.resizeNonZeros(static_cast<Index>(of_states_.places.size() + further_.size()));
  int* const start = like_.outerIndexPtr();
  std::fill(start, start + size_ + 1, 0);
  for (const auto* const places : {&of_states_.places, &further_})
    for (const Place& place : *places) ++start[place.column + 1];
  for (Index j = 0; j < size_; ++j) start[j + 1] += start[j];
  std::vector<int> next(start, start + size_);
  for (const auto* const places : {&of_states_.places, &further_}) {
    for (const Place& place : *places) {
      slots_.push_back(next[at(place.column)]++);
      like_.innerIndexPtr()[slots_.back()] = place.row;
      like_.valuePtr()[slots_.back()] = 0;
    }
  }
  ++version_;
}

void BorderedJacobian::evaluate(double t, const Matrix& s, Value& value) {
  jacobian_(t, split_);
  const Index n = states_, q = s.cols(), rank = split_.left.cols();
  const Index size = n + rank + split_.corner.rows();
  find_further();
  const bool is_known = size == size_ && version_ > 0 && further_ == known_further_;
  size_ = size;
  if (!is_known) find_slots();
  if (value.version != version_) value.jacobian = like_;
  value.version = version_;
  double* const values = value.jacobian.valuePtr();
  for (std::size_t e = 0; e < of_states_.places.size(); ++e)
    values[slots_[e]] = of_states_.from[e] < 0 ? 0 : split_.values[of_states_.from[e]];
  const int* const further_slots = slots_.data() + of_states_.places.size();
  for (std::size_t e = 0; e < further_.size(); ++e) values[further_slots[e]] = further_values_[e];

  value.constant.setZero(size, q);
  for (std::size_t e = 0; e < of_constants_.places.size(); ++e)
    for (Index c = 0; c < q; ++c)
      value.constant(of_constants_.places[e].row, c) +=
          split_.values[of_constants_.from[e]] * s(of_constants_.places[e].column, c);
  const Index beyond = s.rows() - n;
  if (rank > 0 && beyond > 0)
    value.constant.middleRows(n, rank) += split_.right.bottomRows(beyond).transpose() * s.bottomRows(beyond);
  for (Index column = n; column < split_.border_rows.outerSize(); ++column)
    for (Sparse::InnerIterator entry(split_.border_rows, column); entry; ++entry)
      value.constant.row(n + rank + entry.row()) += entry.value() * s.row(column);
}

bool BorderedJacobian::are_same(const Value& a, const Value& b) {
  const auto bytes = static_cast<std::size_t>(a.jacobian.nonZeros()) * sizeof(double);
  return a.version == b.version && std::memcmp(a.jacobian.valuePtr(), b.jacobian.valuePtr(), bytes) == 0;
}

}  // namespace slideway
