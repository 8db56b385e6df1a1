#include "sensitivity/stage_modes.hpp"

#include "core/factorise.hpp"

namespace slideway {

StageModes::StageModes(const Radau& formula) {
  const Index s = formula.stages;
  inverse = Eigen::PartialPivLU<Matrix>(formula.weights).inverse();
  const Eigen::EigenSolver<Matrix> solver(inverse);
  const auto& values = solver.eigenvalues();
  const auto vectors = solver.eigenvectors();
  from.resize(s, s);
  for (Index k = 0; k < s; ++k) {
    from.col(k) = vectors.col(k).real();
    if (values[k].imag() == 0) {
      reals.push_back({.value = values[k].real(), .row = k});
      continue;
    }
    // With the eigenvector a + i b the two rows of w, u and v, make λ̄ (u + i v) of A⁻¹ (a u + b v).
    pairs.push_back({.value = std::conj(values[k]), .row = k});
    ++k;
    from.col(k) = vectors.col(k - 1).imag();
  }
  to = Eigen::PartialPivLU<Matrix>(from).inverse();
}

}  // namespace slideway
