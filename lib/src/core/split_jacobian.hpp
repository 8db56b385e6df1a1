// A Jacobian in three parts,
//     J = S + U Vᵀ − B K⁻¹ C:
// S sparse; U Vᵀ of low rank, which would fill the matrix; and, all three sparse, what unknowns z make of it that are solved
// for along the way, K z = −C x with the effect B z, and that are too many for a low rank.
//
// It must not know where any of them comes from.
#pragma once

#include <Eigen/SparseCore>

#include "slideway/core/pattern.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

struct SplitJacobian {
  Vector values = {};                               // of S, one per entry of its pattern, along the rows
  Matrix left = {};                                 // U, n×r; r may be 0
  Matrix right = {};                                // V, n×r
  Eigen::SparseMatrix<double> border_columns = {};  // B, n×k; k may be 0
  Eigen::SparseMatrix<double> border_rows = {};     // C, k×n
  Eigen::SparseMatrix<double> corner = {};          // K, k×k

  bool has_border() const { return corner.rows() > 0; }
  bool is_finite() const;
};

// All of J, n×n. Throws std::runtime_error where K is singular.
void fill(const SplitJacobian& jacobian, const Pattern& pattern, MatrixRef full);

}  // namespace slideway
