#include "filippov/least_step.hpp"

#include <cmath>

#include "core/factorise.hpp"

namespace slideway {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

// A pivot below this, of rows of length one, means that they depend on each other.
constexpr double kDependent = 1e-14;
// Rows up to which dense factors tell what depends on what.
constexpr Index kMostDense = 64;
constexpr double kRank = 1e-10;
// A shift makes larger systems with dependent rows definite. Each refinement reduces the error by the ratio of the
// shift to the least eigenvalue that is not zero.
constexpr double kShift = 1e-9;
constexpr int kRefinements = 8;

}  // namespace

bool least_step(SparseRows slopes, Vector residuals, Vector& step) {
  for (Index row = 0; row < slopes.rows(); ++row) {
    double length = 0;
    for (SparseRows::InnerIterator entry(slopes, row); entry; ++entry)
      length = std::hypot(length, entry.value());
    if (!(length > 0) || !std::isfinite(length)) return false;
    for (SparseRows::InnerIterator entry(slopes, row); entry; ++entry) entry.valueRef() /= length;
    residuals[row] /= length;
  }
  Sparse products = slopes * SparseRows(slopes.transpose());
  Eigen::SimplicialLDLT<Sparse> factors(products);
  if (factors.info() == Eigen::Success && factors.vectorD().minCoeff() > kDependent) {
    step = -(slopes.transpose() * factors.solve(residuals).eval());
    return step.allFinite();
  }
  if (slopes.rows() <= kMostDense) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> least;
    least.setThreshold(kRank);
    least.compute(Matrix(slopes));
    step = -least.solve(residuals);
    return step.allFinite();
  }
  Sparse identity(products.rows(), products.cols());
  identity.setIdentity();
  factors.compute(products + kShift * identity);
  if (factors.info() != Eigen::Success) return false;
  step = Vector::Zero(slopes.cols());
  for (int k = 0; k < kRefinements; ++k)
    step -= slopes.transpose() * factors.solve(residuals + slopes * step).eval();
  return step.allFinite();
}

}  // namespace slideway
