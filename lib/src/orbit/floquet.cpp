#include "orbit/floquet.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/factorise.hpp"

namespace slideway {

namespace {

// A singular value of one event's effect below this part of the largest one is rounding. The derivative by the
// directions before the event has errors of 1e-16 of its largest entry, and directions that shrink below a part of
// 1e-6 of it are left out.
constexpr double kLeastSingular = 1e-9;
constexpr double kLeastStretch = 1e-6;
// An event that leaves no direction has singular values that are rounding errors of the directions before it, whose length is 1. The tests of
// orbits pass with a tenth and a thousand times of it.
constexpr double kRounding = 1e-14;

// A with S = B·A, its rows orthonormal and orthogonal to what all events wipe out.
Matrix surviving_directions(Index n, const std::vector<Passage>& passages) {
  Matrix kept = Matrix::Identity(n, n);  // in columns
  for (const Passage& passage : passages) {
    if (kept.cols() == 0) break;
    if (!passage.before.allFinite() || !passage.after.allFinite()) continue;
    // The directions that arrive, as orthonormal ones U = S⁻·kept·V·σ⁻¹, and what the event makes of them.
    const Eigen::JacobiSVD<Matrix> arriving(passage.before * kept, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& stretch = arriving.singularValues();
    Index seen = 0;
    while (seen < stretch.size() && stretch[seen] > kLeastStretch * stretch[0]) ++seen;
    if (seen == 0) continue;
    const Matrix origin = arriving.matrixV().leftCols(seen) * stretch.head(seen).cwiseInverse().asDiagonal();
    const Eigen::JacobiSVD<Matrix> event(passage.after * kept * origin, Eigen::ComputeThinV);
    const Vector& singular = event.singularValues();
    Index rank = 0;
    while (rank < seen && singular[rank] > std::max(kLeastSingular * singular[0], kRounding)) ++rank;
    const Index lost = std::min(seen - rank, passage.most);
    if (lost == 0) continue;
    const Matrix wiped_out = origin * event.matrixV().rightCols(lost);
    const Eigen::HouseholderQR<Matrix> qr(wiped_out);
    kept = (kept * orthogonal_factor(qr).rightCols(kept.cols() - lost)).eval();
  }
  return kept.transpose();
}

// The rows and columns of all states but those that are held.
Matrix without_held(const Matrix& matrix, const std::vector<Index>& free) { return matrix(free, free); }

std::vector<std::complex<double>> eigenvalues(const Matrix& matrix) {
  if (matrix.rows() == 0) return {};
  const Eigen::EigenSolver<Matrix> solver(matrix, false);
  return {solver.eigenvalues().data(), solver.eigenvalues().data() + matrix.rows()};
}

}  // namespace

std::vector<FloquetMultiplier> floquet_multipliers(const Matrix& monodromy,
                                                   const std::vector<Passage>& passages,
                                                   const std::vector<Index>& held, const Vector& field) {
  const Index n = monodromy.rows();
  std::vector<FloquetMultiplier> result;
  if (!monodromy.allFinite()) return result;
  if (!held.empty()) {
    std::vector<Index> free;
    for (Index i = 0; i < n; ++i)
      if (std::find(held.begin(), held.end(), i) == held.end()) free.push_back(i);
    std::vector<Passage> of_free;
    for (const Passage& passage : passages)
      of_free.push_back(
          {without_held(passage.before, free), without_held(passage.after, free), passage.most});
    const Vector along = field.size() > 0 ? Vector(field(free)) : Vector();
    result = floquet_multipliers(without_held(monodromy, free), of_free, {}, along);
    result.insert(result.end(), held.size(), {.value = 1, .kind = MultiplierKind::held});
    return result;
  }
  const Matrix kept = surviving_directions(n, passages);  // orthonormal rows
  Matrix reduced = kept * monodromy * kept.transpose();
  if (field.size() > 0 && (kept * field).norm() > 0) {
    // The eigenvector of 1 spans a space that the matrix leaves as it is; the others are the eigenvalues beside it.
    const Vector along = kept * field;
    const Eigen::HouseholderQR<Matrix> qr{Matrix(along)};
    const Matrix rotation = orthogonal_factor(qr);
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
