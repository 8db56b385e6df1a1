// The linear complementarity problem with a box: find z and r = q + Mz with, for every entry,
//     lower ≤ z ≤ upper,     r ≥ 0 where z = lower,     r ≤ 0 where z = upper,     r = 0 between.
// upper may be infinite; with lower = 0 and upper = ∞ it is the classical problem 0 ≤ z ⟂ q + Mz ≥ 0. Relays
// λᵢ ∈ Sgn(cᵢ + (Dλ)ᵢ) are this problem with q = −c, M = −D and the box [−1, 1].
//
// A P-matrix M (all principal minors positive) has exactly one solution for every q, and a bounded box has at least one for
// every M. Block principal pivoting is tried first; what it does not solve goes to Lemke's path z₀ ↓ 0 of the problems
// with q + z₀·1, pivoted with lexicographic ties, so that it ends: in a solution where M is a P-matrix or the box is
// bounded, and for a positive semidefinite M in a solution whenever there is one (where rounding breaks the path, proximal
// steps take over). A solution counts only when its residual proves it. (Cottle, Pang & Stone 1992; Júdice & Pires 1992.)
//
// Numbers only. It must not know relays, contacts or systems.
#pragma once

#include <Eigen/SparseCore>
#include <string>

#include "slideway/core/types.hpp"

namespace slideway {

struct ComplementarityAnswer {
  bool solved = false;
  Vector z = {};            // in the box, n entries; lower where not solved
  Vector residual = {};     // r = q + Mz
  std::string reason = {};  // where not solved: why, one line
};

// M is n×n, the others n; every lower is finite and at most upper. Throws std::invalid_argument otherwise.
ComplementarityAnswer solve_box_complementarity(const Matrix& M, const Vector& q, const Vector& lower,
                                                const Vector& upper);
// The same for a matrix of few entries: with block principal pivoting alone its cost is that of sparse factors.
ComplementarityAnswer solve_box_complementarity(const Eigen::SparseMatrix<double>& M, const Vector& q,
                                                const Vector& lower, const Vector& upper);

// The largest amount by which z breaks its conditions, each row in units of its terms |qᵢ| + Σ|Mᵢⱼ|(|zⱼ| + |lowerⱼ|):
// rounding for a solution, infinite where z is not finite or is outside the box.
double complementarity_error(const Matrix& M, const Vector& q, const Vector& lower, const Vector& upper,
                             const Vector& z);

}  // namespace slideway
