#include "sensitivity/stage_modes.hpp"

#include "core/factorise.hpp"

namespace slideway {

// T holds the real eigenvectors, and the real and the imaginary part of one eigenvector of each pair: all is real but the pairs' w.
StageModes::StageModes(const Radau& formula) {
  const Index s = formula.stages;
  inverse = Eigen::PartialPivLU<Matrix>(formula.weights).inverse();
  const Eigen::EigenSolver<Matrix> solver(inverse);
  const auto& values = solver.eigenvalues();
  const auto vectors = solver.eigenvectors();
  Matrix from(s, s);
  for (Index k = 0; k < s; ++k) {
    from.col(k) = vectors.col(k).real();
    if (values[k].imag() == 0) continue;
    from.col(k + 1) = vectors.col(k).imag();
    ++k;
  }
  const Matrix to = Eigen::PartialPivLU<Matrix>(from).inverse();
  for (Index k = 0; k < s; ++k) {
    if (values[k].imag() == 0) {
      reals.push_back({.value = values[k].real(), .to = to.row(k).transpose(), .from = from.col(k)});
      continue;
    }
    pairs.push_back({.value = std::conj(values[k]),
                     .to = to.row(k).transpose(),
                     .to_imaginary = to.row(k + 1).transpose(),
                     .from = from.col(k),
                     .from_imaginary = from.col(k + 1)});
    ++k;
  }
}

}  // namespace slideway
