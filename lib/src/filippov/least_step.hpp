// The least step that takes residuals to zero, to first order: with the slopes G(i,j) = ∂rᵢ/∂zⱼ of the residuals by the states in
// units of their weights,
//
//   s = −Gᵀ(GGᵀ)⁻¹ r,   the least |s| with Gs = −r.
//
// Residuals have units of their own: every row counts by its direction.
//
// It must not know what the residuals are: guards of surfaces and gaps of contacts alike.
#pragma once

#include <Eigen/SparseCore>

#include "slideway/core/types.hpp"

namespace slideway {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// least_step() meets rows that depend on each other as far as they can be met together; the caller checks the
// rest. It returns false, with a meaningless `step`, where a row is zero or a number is not finite.
bool least_step(SparseRows slopes, Vector residuals, Vector& step);

}  // namespace slideway
