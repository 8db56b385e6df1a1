#include <stdexcept>

#include "sensitivity/collocation.hpp"

namespace slideway {

Matrix SparseCollocation::times(const SplitJacobian& jacobian, const Matrix& s, const Matrix& further) const {
  Matrix result = Matrix::Zero(states_, s.cols());
  for (Index i = 0; i < states_; ++i)
    for (Index e = pattern_.start[static_cast<std::size_t>(i)];
         e < pattern_.start[static_cast<std::size_t>(i) + 1]; ++e)
      result.row(i) += jacobian.values[e] * s.row(pattern_.column[static_cast<std::size_t>(e)]);
  const Index rank = jacobian.left.cols();
  if (rank > 0) result.noalias() += jacobian.left.topRows(states_) * further.topRows(rank);
  if (jacobian.has_border())
    result -= (jacobian.border_columns * further.bottomRows(jacobian.corner.rows())).topRows(states_);
  return result;
}

Matrix SparseCollocation::slope(double t, const Matrix& s) {
  jacobian_(t, at_[0]);
  const Index rank = at_[0].left.cols();
  Matrix further(further_unknowns(at_[0]), s.cols());
  if (rank > 0) further.topRows(rank) = at_[0].right.transpose() * s;
  if (at_[0].has_border()) {
    Eigen::SparseMatrix<double> corner = at_[0].corner;
    corner.makeCompressed();
    Factors factors;
    factors.compute(corner);
    if (factors.info() != Eigen::Success) throw std::runtime_error("the sliding condition is singular");
    const Matrix right = at_[0].border_rows * s;
    further.bottomRows(corner.rows()) = factors.solve(right);
  }
  return times(at_[0], s, further);
}

void SparseCollocation::factorise(Factors& factors, Index& known, Index size) {
  system_.resize(size, size);
  system_.setFromTriplets(entries_.begin(), entries_.end());
  system_.makeCompressed();
  if (known != system_.nonZeros()) factors.analyzePattern(system_);
  known = system_.nonZeros();
  factors.factorize(system_);
  if (factors.info() != Eigen::Success)
    throw std::runtime_error("the equations of the derivatives are singular");
}

void SparseCollocation::solve(double a, double h, const Matrix& s, std::vector<Matrix>& slopes, Matrix& end) {
  const Index n = states_, stages = formula().stages;
  const auto at = [&](Index k) -> SplitJacobian& { return at_[static_cast<std::size_t>(k)]; };
  for (Index k = 0; k < stages; ++k) jacobian_(time_of(a, h, k), at(k));
  // The unknowns: S at the stages, then of each stage VᵀS and K⁻¹CS.
  std::vector<Index> first_of(at_.size());
  const auto first = [&](Index k) -> Index& { return first_of[static_cast<std::size_t>(k)]; };
  Index size = stages * n;
  for (Index k = 0; k < stages; ++k) {
    first(k) = size;
    size += further_unknowns(at(k));
  }
  Matrix right = Matrix::Zero(size, s.cols());
  entries_.clear();
  const auto add = [&](Index row, Index column, double value) {
    entries_.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  for (Index i = 0; i < stages * n; ++i) add(i, i, 1);
  for (Index i = 0; i < stages; ++i) right.middleRows(i * n, n) = s.topRows(n);
  for (Index j = 0; j < stages; ++j) {
    const SplitJacobian& jacobian = at(j);
    const Index rank = jacobian.left.cols();
    for (Index row = 0; row < n; ++row) {
      for (Index e = pattern_.start[static_cast<std::size_t>(row)];
           e < pattern_.start[static_cast<std::size_t>(row) + 1]; ++e) {
        const Index column = pattern_.column[static_cast<std::size_t>(e)];
        for (Index i = 0; i < stages; ++i) {
          const double value = h * formula().weights(i, j) * jacobian.values[e];
          if (column < n) {
            add(i * n + row, j * n + column, -value);
          } else {
            right.row(i * n + row) += value * s.row(column);
          }
        }
      }
      for (Index r = 0; r < rank; ++r)
        for (Index i = 0; i < stages; ++i)
          add(i * n + row, first(j) + r, -h * formula().weights(i, j) * jacobian.left(row, r));
    }
    for (Index r = 0; r < rank; ++r) {
      add(first(j) + r, first(j) + r, 1);
      for (Index column = 0; column < s.rows(); ++column) {
        const double value = jacobian.right(column, r);
        if (value == 0) continue;
        if (column < n) {
          add(first(j) + r, j * n + column, -value);
        } else {
          right.row(first(j) + r) += value * s.row(column);
        }
      }
    }
    using Inner = Eigen::SparseMatrix<double>::InnerIterator;
    for (Index c = 0; c < jacobian.border_columns.outerSize(); ++c)
      for (Inner entry(jacobian.border_columns, c); entry; ++entry)
        for (Index i = 0; i < stages && entry.row() < n; ++i)
          add(i * n + entry.row(), first(j) + rank + c, h * formula().weights(i, j) * entry.value());
    for (Index c = 0; c < jacobian.border_rows.outerSize(); ++c) {
      for (Inner entry(jacobian.border_rows, c); entry; ++entry) {
        if (c < n) {
          add(first(j) + rank + entry.row(), j * n + c, -entry.value());
        } else {
          right.row(first(j) + rank + entry.row()) += entry.value() * s.row(c);
        }
      }
    }
    for (Index c = 0; c < jacobian.corner.outerSize(); ++c)
      for (Inner entry(jacobian.corner, c); entry; ++entry)
        add(first(j) + rank + entry.row(), first(j) + rank + c, entry.value());
  }
  factorise(factors_, known_entries_, size);
  const Matrix solution = factors_.solve(right);
  Matrix stage = s;
  for (Index k = 0; k < stages; ++k) {
    stage.topRows(n) = solution.middleRows(k * n, n);
    slopes[static_cast<std::size_t>(k)] =
        times(at(k), stage, solution.middleRows(first(k), further_unknowns(at(k))));
  }
  end = solution.middleRows((stages - 1) * n, n);
}

// The parts of low rank are left out: what is stiff are the couplings of neighbours.
Matrix SparseCollocation::damped(double h, const Matrix& defect) {
  entries_.clear();
  for (Index row = 0; row < states_; ++row) {
    entries_.emplace_back(static_cast<int>(row), static_cast<int>(row), 1.0);
    for (Index e = pattern_.start[static_cast<std::size_t>(row)];
         e < pattern_.start[static_cast<std::size_t>(row) + 1]; ++e) {
      const Index column = pattern_.column[static_cast<std::size_t>(e)];
      if (column < states_)
        entries_.emplace_back(static_cast<int>(row), static_cast<int>(column), -0.25 * h * at_[0].values[e]);
    }
  }
  factorise(filter_, known_filter_, states_);
  return filter_.solve(defect);
}

}  // namespace slideway
