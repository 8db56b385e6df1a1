#include "core/split_jacobian.hpp"

#include <stdexcept>

#include "core/factorise.hpp"

namespace slideway {

bool SplitJacobian::is_finite() const {
  return values.allFinite() && left.allFinite() && right.allFinite() && border_columns.coeffs().allFinite() &&
         border_rows.coeffs().allFinite() && corner.coeffs().allFinite();
}

void fill(const SplitJacobian& jacobian, const Pattern& pattern, MatrixRef full) {
  full.noalias() = jacobian.left * jacobian.right.transpose();
  for (Index i = 0; i < pattern.rows; ++i) {
    for (Index k = pattern.start[static_cast<std::size_t>(i)];
         k < pattern.start[static_cast<std::size_t>(i) + 1]; ++k) {
      full(i, pattern.column[static_cast<std::size_t>(k)]) += jacobian.values[k];
    }
  }
  if (!jacobian.has_border()) return;
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(jacobian.corner);
  if (factors.info() != Eigen::Success) throw std::runtime_error("the corner of a Jacobian is singular");
  full -= jacobian.border_columns * Matrix(factors.solve(Matrix(jacobian.border_rows)));
}

}  // namespace slideway
