// Whether a matrix is a P-matrix: all principal minors positive. Relays λᵢ ∈ Sgn(cᵢ + (Dλ)ᵢ) have exactly one solution for
// every c when −D is one (Cottle, Pang & Stone 1992, 3.3).
//
// Numbers only. It must not know relays or systems.
#pragma once

#include <Eigen/SparseCore>

#include "slideway/core/types.hpp"

namespace slideway {

// By all minors; for matrices up to 12 × 12.
bool is_p_matrix(const Matrix& matrix);

// Whether one of these tests shows it, for every strongly connected block of the pattern: all principal minors (blocks of up
// to 10), the comparison matrix is an M-matrix, or the symmetric part is positive definite after scaling the rows. False says
// nothing.
bool shows_p_matrix(const Eigen::SparseMatrix<double>& matrix);

}  // namespace slideway
