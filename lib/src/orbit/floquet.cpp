#include "orbit/floquet.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace slideway {

namespace {

constexpr double kLeastSingular = 1e-9;  // of the largest one, below which a singular value is rounding

// A with S = B·A, its rows orthogonal to what S wipes out; the identity where nothing is.
Matrix surviving_directions(Index n, const std::vector<WipedOut>& events) {
  Matrix result = Matrix::Identity(n, n);
  for (const WipedOut& event : events) {
    if (event.directions <= 0 || !event.derivative.allFinite()) continue;
    const Eigen::JacobiSVD<Matrix> svd(event.derivative, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& singular = svd.singularValues();
    Index rank = 0;
    while (rank < n && singular[rank] > kLeastSingular * singular[0]) ++rank;
    rank = std::max(rank, n - event.directions);
    if (rank < result.rows()) result = svd.matrixV().leftCols(rank).transpose();
  }
  return result;
}

std::vector<std::complex<double>> eigenvalues(const Matrix& matrix) {
  if (matrix.rows() == 0) return {};
  const Eigen::EigenSolver<Matrix> solver(matrix, false);
  return {solver.eigenvalues().data(), solver.eigenvalues().data() + matrix.rows()};
}

}  // namespace

std::vector<FloquetMultiplier> floquet_multipliers(const Matrix& monodromy,
                                                   const std::vector<WipedOut>& events, const Vector& field) {
  const Index n = monodromy.rows();
  std::vector<FloquetMultiplier> result;
  if (!monodromy.allFinite()) return result;
  const Matrix kept = surviving_directions(n, events);  // orthonormal rows
  Matrix reduced = kept * monodromy * kept.transpose();
  if (field.size() > 0 && (kept * field).norm() > 0) {
    // The eigenvector of 1 spans a space that the matrix leaves as it is; the others are the eigenvalues beside it.
    const Vector along = kept * field;
    const Eigen::HouseholderQR<Matrix> qr{Matrix(along)};
    const Matrix rotation = qr.householderQ();
    const Matrix beside = rotation.rightCols(reduced.rows() - 1);
    reduced = (beside.transpose() * reduced * beside).eval();
    result.push_back({.value = 1, .kind = MultiplierKind::trivial});
  }
  for (const std::complex<double>& value : eigenvalues(reduced))
    result.push_back({.value = value, .kind = MultiplierKind::ordinary});
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.value) > std::abs(b.value); });
  while (static_cast<Index>(result.size()) < n)
    result.push_back({.value = 0, .kind = MultiplierKind::exact_zero});
  return result;
}

}  // namespace slideway
