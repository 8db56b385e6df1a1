// Whether a matrix is a P-matrix: all principal minors positive. Relays λᵢ ∈ Sgn(cᵢ + (Dλ)ᵢ) have exactly one solution for
// every c when −D is one (Cottle, Pang & Stone 1992, 3.3).
//
// Numbers only. It must not know relays or systems.
#pragma once

#include <Eigen/SparseCore>

#include "slideway/core/types.hpp"

namespace slideway {

// is_p_matrix() computes all minors; it is for matrices up to 12 × 12.
bool is_p_matrix(const Matrix& matrix);

// shows_p_matrix() tests every strongly connected block of the pattern: all principal minors (blocks of up to 10),
// an M-matrix as comparison matrix, or a positive definite symmetric part after scaling the rows. False says
// nothing.
bool shows_p_matrix(const Eigen::SparseMatrix<double>& matrix);

}  // namespace slideway
