#include "core/factorise.hpp"

template class Eigen::PartialPivLU<slideway::Matrix>;
template class Eigen::FullPivLU<slideway::Matrix>;
template class Eigen::HouseholderQR<slideway::Matrix>;
template class Eigen::ColPivHouseholderQR<slideway::Matrix>;
template class Eigen::CompleteOrthogonalDecomposition<slideway::Matrix>;
template class Eigen::RealSchur<slideway::Matrix>;
template class Eigen::EigenSolver<slideway::Matrix>;
template class Eigen::JacobiSVD<slideway::Matrix>;
template class Eigen::SparseLU<Eigen::SparseMatrix<double>>;

template void Eigen::FullPivLU<slideway::Matrix>::_solve_impl(const slideway::Vector&,
                                                              slideway::Vector&) const;
template void Eigen::FullPivLU<slideway::Matrix>::_solve_impl(const slideway::Matrix&,
                                                              slideway::Matrix&) const;
template void Eigen::CompleteOrthogonalDecomposition<slideway::Matrix>::_solve_impl(const slideway::Vector&,
                                                                                    slideway::Vector&) const;
template void Eigen::CompleteOrthogonalDecomposition<slideway::Matrix>::_solve_impl(const slideway::Matrix&,
                                                                                    slideway::Matrix&) const;
template Eigen::EigenSolver<slideway::Matrix>& Eigen::EigenSolver<slideway::Matrix>::compute(
    const Eigen::EigenBase<slideway::Matrix>&, bool);

namespace slideway {

Matrix orthogonal_factor(const Eigen::HouseholderQR<Matrix>& qr) { return qr.householderQ(); }

}  // namespace slideway
