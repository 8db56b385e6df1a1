// Eigen's decompositions of matrices of doubles, compiled in factorise.cpp for all files: to instantiate one takes a compiler seconds.
// Files that decompose a matrix include it in place of Eigen's headers.
//
// It must not know what a matrix means.
#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "slideway/core/types.hpp"

extern template class Eigen::PartialPivLU<slideway::Matrix>;
extern template class Eigen::FullPivLU<slideway::Matrix>;
extern template class Eigen::HouseholderQR<slideway::Matrix>;
extern template class Eigen::ColPivHouseholderQR<slideway::Matrix>;
extern template class Eigen::CompleteOrthogonalDecomposition<slideway::Matrix>;
extern template class Eigen::RealSchur<slideway::Matrix>;
extern template class Eigen::EigenSolver<slideway::Matrix>;
extern template class Eigen::JacobiSVD<slideway::Matrix>;
extern template class Eigen::SparseLU<Eigen::SparseMatrix<double>>;

// These members are templates themselves, and are instantiated for the arguments that occur in the library.
extern template void Eigen::FullPivLU<slideway::Matrix>::_solve_impl(const slideway::Vector&,
                                                                     slideway::Vector&) const;
extern template void Eigen::FullPivLU<slideway::Matrix>::_solve_impl(const slideway::Matrix&,
                                                                     slideway::Matrix&) const;
extern template void Eigen::CompleteOrthogonalDecomposition<slideway::Matrix>::_solve_impl(
    const slideway::Vector&, slideway::Vector&) const;
extern template void Eigen::CompleteOrthogonalDecomposition<slideway::Matrix>::_solve_impl(
    const slideway::Matrix&, slideway::Matrix&) const;
extern template Eigen::EigenSolver<slideway::Matrix>& Eigen::EigenSolver<slideway::Matrix>::compute(
    const Eigen::EigenBase<slideway::Matrix>&, bool);

namespace slideway {

// The orthogonal factor Q of A = QR as a square matrix, whose last columns are orthogonal to those of A.
Matrix orthogonal_factor(const Eigen::HouseholderQR<Matrix>& qr);

}  // namespace slideway
