// The motion of x' = A x + L u that keeps N x = 0 by whatever u it takes: on the largest subspace V of N V = 0 with A V in V + im L,
//
//     A V + L F = V R.
//
// It must not know where the matrices come from.
#pragma once

#include <complex>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

struct ZeroMotion {
  Matrix basis = {};  // V, orthonormal columns
  Matrix rates = {};  // R
};

// States, inputs and constraints are scaled by the caller.
ZeroMotion zero_motion(const Matrix& a, const Matrix& l, const Matrix& n);

// The eigenvalues of R, the largest real part first.
std::vector<std::complex<double>> zero_dynamics(const Matrix& a, const Matrix& l, const Matrix& n);

}  // namespace slideway
