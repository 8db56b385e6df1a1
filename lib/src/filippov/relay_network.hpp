// Relays that see each other in numbers too large to enumerate: one consistent mode by a direct method.
//
//     w(λ) = c + Dλ,   λᵢ ∈ Sgn(wᵢ)
// is a linear complementarity problem in a box with the matrix −D, solved on each connected component of D. A P-matrix −D
// makes the solution unique; where the tests for it fail, or w is not affine in λ, the answer is one consistent mode and
// does not claim to be the only one. A w that is not affine is linearised at the last λ, over and over.
//
// Ties (wᵢ = 0 at λᵢ = ±1) are decided by the next derivative. Along the motion, with S the relays that slide and T the tied
// ones,  ẇ = ḧ + Dλ̇  with ẇ_S = 0, and for every tied relay either λᵢ goes inside with ẇᵢ = 0, or it keeps λᵢ and wᵢ leaves
// zero on its side: again a complementarity problem, for z = −λᵢλ̇ᵢ ≥ 0 and λᵢẇᵢ ≥ 0.
//
// A surface whose w is 0 whatever the relays, as far as the state is known, goes first, to the side that its next derivative leads to.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "filippov/corner.hpp"

namespace slideway {

struct RelayNetwork {
  std::function<void(const Vector& lambda, Vector& w)> rates;                   // w(λ)
  std::function<Eigen::SparseMatrix<double>(const Vector& lambda)> derivative;  // D(i,j) = ∂wᵢ/∂λⱼ
  CurvatureFunction curvature;
};

struct RelaySolution {
  bool solved = false;
  Continuation continuation = {};
  Vector w = {};
  Eigen::SparseMatrix<double> derivative = {};  // D at the solution
  bool affine = false;                          // w is affine in λ, as far as a few random λ can tell
  bool unique = false;                          // shown to be the only consistent mode
  // Another λ in the bounds with the same w = 0, where the relays that slide are dependent: a continuum lies between the two.
  std::optional<Vector> other = {};
  std::string note = {};  // one line: why not solved, or why not shown to be unique
};

RelaySolution solve_relays(const RelayNetwork& network, const CornerOptions& options, const Vector& guess);

}  // namespace slideway
