// ∂w/∂x of surfaces where ∂f/∂x is at hand: w = ∂h/∂x·f + ∂h/∂t of an affine guard has ∂h/∂x·∂f/∂x.
//
// It must not know modes.
#pragma once

#include <vector>

#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

// normal_dx_of() sets the rows of these surfaces of `normal`, m×n, at the point of `field_dx`, n×n. Other rows may be set too.
inline void normal_dx_of(Evaluator& evaluator, const std::vector<Index>& surfaces, double t, ConstVectorRef x,
                         ConstVectorRef lambda, const Eigen::Ref<const Matrix>& field_dx, MatrixRef normal) {
  if (!evaluator.guards_are_affine() || evaluator.system().definition().normal_dx) {
    evaluator.normal_dx(t, x, lambda, normal);
    return;
  }
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  for (const Index i : surfaces) {
    for (Index j = 0; j < x.size(); ++j) {
      double sum = 0;
      for (Rows::InnerIterator entry(evaluator.affine_dx(), i); entry; ++entry)
        sum += entry.value() * field_dx(entry.col(), j);
      normal(i, j) = sum;
    }
  }
}

}  // namespace slideway
