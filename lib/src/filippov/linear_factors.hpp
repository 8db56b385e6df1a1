// Solves with a square matrix that may be sparse: by dense factors where it is small or full, by sparse ones elsewhere.
//
// It must not know what the matrix means.
#pragma once

#include <optional>
#include <vector>

#include "core/factorise.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class LinearFactors {
 public:
  explicit LinearFactors(Eigen::SparseMatrix<double> matrix);

  // X with matrix·X = right (n×k), refined once; nothing where the matrix is singular to rounding.
  std::optional<Matrix> solve(const Matrix& right);

  // is_dense() tells whether a matrix of this size is better kept as a dense one.
  static bool is_dense(Index rows, Index entries);

 private:
  using SparseFactors = Eigen::SparseLU<Eigen::SparseMatrix<double>>;

  void factor_as_dense();

  Eigen::SparseMatrix<double> matrix_;
  std::optional<Eigen::PartialPivLU<Matrix>> dense_ = std::nullopt;
  SparseFactors sparse_;
  bool is_singular_ = false;  // by its pattern alone
};

// Rows and columns of a sparse matrix. `place` is memory of as many entries as the matrix has rows, all −1 before and after.
Eigen::SparseMatrix<double> part_of(const Eigen::SparseMatrix<double>& matrix, const std::vector<Index>& rows,
                                    const std::vector<Index>& columns, std::vector<Index>& place);

}  // namespace slideway
