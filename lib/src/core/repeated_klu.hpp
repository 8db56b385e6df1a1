// SuiteSparse's KLU, by Eigen, for matrices whose values change while their pattern stays: the pivots of the last factors serve again while
// they are good, at a third of the cost of new ones.
//
// It must not know what a matrix means.
#pragma once

#include <Eigen/KLUSupport>
#include <Eigen/SparseCore>
#include <type_traits>

namespace slideway {

template <class Scalar>
class RepeatedKlu : public Eigen::KLU<Eigen::SparseMatrix<Scalar>> {
 public:
  using Matrix = Eigen::SparseMatrix<Scalar>;

  // The factors of a matrix of the pattern that was analysed; false if it is singular. `is_near` tells that it is hardly another one than
  // that before, for which the pivots of the last factors are known to be good.
  [[nodiscard]] bool refactorize(const Matrix& matrix, bool is_near) {
    if (this->m_numeric == nullptr || !keeps_pivots(matrix, is_near)) this->factorize(matrix);
    return this->info() == Eigen::Success;
  }
  // Solves for `count` columns, one after the other, in place.
  void solve_in_place(Scalar* columns, Eigen::Index count) {
    Eigen::klu_solve(this->m_symbolic, this->m_numeric, this->rows(), count, columns, &this->m_common,
                     Scalar());
  }

 private:
  // Factors whose entries outgrow those of the matrix by more than the reciprocal of this lose digits.
  static constexpr double kLeastReciprocalGrowth = 1e-3;

  bool keeps_pivots(const Matrix& matrix, bool is_near) {
    this->grab(matrix);
    int* const start = const_cast<int*>(matrix.outerIndexPtr());
    int* const rows = const_cast<int*>(matrix.innerIndexPtr());
    double* const values = reinterpret_cast<double*>(const_cast<Scalar*>(matrix.valuePtr()));
    klu_symbolic* const symbolic = this->m_symbolic;
    klu_numeric* const numeric = this->m_numeric;
    klu_common* const common = &this->m_common;
    if constexpr (std::is_same_v<Scalar, double>) {
      if (klu_refactor(start, rows, values, symbolic, numeric, common) == 0) return false;
      if (is_near) return common->status == KLU_OK;
      if (klu_rgrowth(start, rows, values, symbolic, numeric, common) == 0) return false;
    } else {
      if (klu_z_refactor(start, rows, values, symbolic, numeric, common) == 0) return false;
      if (is_near) return common->status == KLU_OK;
      if (klu_z_rgrowth(start, rows, values, symbolic, numeric, common) == 0) return false;
    }
    return common->status == KLU_OK && common->rgrowth >= kLeastReciprocalGrowth;
  }
};

}  // namespace slideway
