#include "filippov/linear_factors.hpp"

#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"

namespace slideway {

namespace {

constexpr Index kLargestSmall = 32;
constexpr double kSparsePart = 0.1;
// Dense factors of larger ones take too long to be tried where sparse ones do not serve.
constexpr Index kLargestDense = 1000;
constexpr double kSmallResidual = 1e-10;

}  // namespace

bool LinearFactors::is_dense(Index rows, Index entries) {
  return rows < kLargestSmall ||
         static_cast<double>(entries) > kSparsePart * static_cast<double>(rows) * static_cast<double>(rows);
}

LinearFactors::LinearFactors(Eigen::SparseMatrix<double> matrix) : matrix_(std::move(matrix)) {
  if (is_dense(matrix_.rows(), matrix_.nonZeros())) {
    factor_as_dense();
    return;
  }
  matrix_.makeCompressed();
  // Fewer entries than rows leave a row empty, and Eigen's factorisation of no entries at all does not end.
  is_singular_ = matrix_.nonZeros() < matrix_.rows();
  if (!is_singular_) sparse_.compute(matrix_);
}

void LinearFactors::factor_as_dense() { dense_.emplace(Matrix(matrix_)); }

std::optional<Matrix> LinearFactors::solve(const Matrix& right) {
  if (is_singular_) return std::nullopt;
  if (!dense_ && sparse_.info() == Eigen::Success) {
    Matrix solution = sparse_.solve(right);
    solution += sparse_.solve(right - matrix_ * solution);
    // There is no estimate of the condition: a matrix near singular shows by what it leaves.
    const double left = (right - matrix_ * solution).lpNorm<Eigen::Infinity>();
    const double size = right.lpNorm<Eigen::Infinity>();
    if (left <= kSmallResidual * size && solution.lpNorm<Eigen::Infinity>() * kEpsilon <= size)
      return solution;
  }
  if (!dense_) {
    if (matrix_.rows() > kLargestDense) return std::nullopt;
    factor_as_dense();
  }
  if (!(dense_->rcond() > kEpsilon)) return std::nullopt;
  Matrix solution = dense_->solve(right);
  // A block near singular loses digits otherwise.
  solution += dense_->solve(right - matrix_ * solution);
  return solution;
}

Eigen::SparseMatrix<double> part_of(const Eigen::SparseMatrix<double>& matrix, const std::vector<Index>& rows,
                                    const std::vector<Index>& columns, std::vector<Index>& place) {
  for (std::size_t k = 0; k < rows.size(); ++k) place[at(rows[k])] = static_cast<Index>(k);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, columns[k]); entry; ++entry) {
      const Index row = place[at(entry.row())];
      if (row >= 0) entries.emplace_back(row, static_cast<Index>(k), entry.value());
    }
  }
  for (const Index row : rows) place[at(row)] = -1;
  Eigen::SparseMatrix<double> part(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

}  // namespace slideway
