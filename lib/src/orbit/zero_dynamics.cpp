#include "orbit/zero_dynamics.hpp"

#include <algorithm>

#include "core/factorise.hpp"

namespace slideway {

namespace {

// A singular value below this part of the largest one is zero: derivatives that are differences have errors of
// about 1e-10.
constexpr double kZeroPart = 1e-8;

// An orthonormal basis of the space that the matrix maps to zero, in columns.
Matrix null_space(const Matrix& matrix, double size) {
  const Index n = matrix.cols();
  if (matrix.rows() == 0) return Matrix::Identity(n, n);
  const Eigen::JacobiSVD<Matrix> svd(matrix, Eigen::ComputeFullV);
  const Vector& singular = svd.singularValues();
  Index rank = 0;
  while (rank < singular.size() && singular[rank] > kZeroPart * size) ++rank;
  return svd.matrixV().rightCols(n - rank);
}

// The space orthogonal to the columns, in columns.
Matrix complement(const Matrix& columns) {
  return null_space(columns.transpose(), columns.cols() == 0 ? 1.0 : columns.norm());
}

}  // namespace

ZeroMotion zero_motion(const Matrix& a, const Matrix& l, const Matrix& n) {
  const Index size = a.rows();
  Matrix effects = l;
  for (Index k = 0; k < effects.cols(); ++k)
    if (effects.col(k).norm() > 0) effects.col(k).normalize();
  Matrix v = null_space(n, n.rows() == 0 ? 1.0 : n.norm());
  for (Index k = 0; k <= size && v.cols() > 0; ++k) {
    Matrix allowed(size, v.cols() + effects.cols());
    allowed << v, effects;
    const Matrix forbidden = complement(allowed).transpose() * a * v;
    const Matrix inside = null_space(forbidden, std::max(a.norm(), 1e-300));
    if (inside.cols() == v.cols()) break;
    v = (v * inside).eval();
  }
  if (v.cols() == 0) return {.basis = v, .rates = Matrix(0, 0)};
  Matrix both(size, v.cols() + effects.cols());
  both << v, effects;
  const Matrix solved = both.completeOrthogonalDecomposition().solve(a * v);
  return {.basis = v, .rates = solved.topRows(v.cols())};
}

std::vector<std::complex<double>> zero_dynamics(const Matrix& a, const Matrix& l, const Matrix& n) {
  const Matrix rates = zero_motion(a, l, n).rates;
  if (rates.cols() == 0) return {};
  const Eigen::EigenSolver<Matrix> solver(rates, false);
  std::vector<std::complex<double>> values(solver.eigenvalues().data(),
                                           solver.eigenvalues().data() + rates.cols());
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& first, const auto& second) { return first.real() > second.real(); });
  return values;
}

}  // namespace slideway
