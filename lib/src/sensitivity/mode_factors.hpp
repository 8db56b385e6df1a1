// Factors of λ/h M − Ĵ for the modes of a formula of Radau (stage_modes.hpp), where M is 1 for states and 0 for further unknowns of Ĵ.
//
// It must not know where Ĵ comes from.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "core/repeated_klu.hpp"
#include "sensitivity/bordered_jacobian.hpp"
#include "sensitivity/stage_modes.hpp"

namespace slideway {

class ModeFactors {
 public:
  // The formula has an odd number of stages.
  ModeFactors(const Radau& formula, Index states) : modes_(formula), states_(states) {}

  const StageModes& modes() const { return modes_; }
  // Takes Ĵ and h, unless the factors are those of both, or of another h that hardly differs.
  void take(const BorderedJacobian::Value& value, double h);
  // The h that the factors are of.
  double step() const { return step_; }
  // Solves for all stages, of q columns of S each, one column of the matrix per stage, in place.
  void solve(Matrix& stages, Index q);
  // (I − h/λ J)⁻¹ with the real λ.
  Matrix damped(const Matrix& s);

 private:
  void analyse();

  StageModes modes_;
  Index states_;
  BorderedJacobian::Value star_ = {};
  double step_ = 0;
  double checked_step_ = 0;      // when the pivots were: they are good for steps of about that length
  int analysed_ = 0;             // the version of the pattern
  std::vector<Index> diagonal_;  // the places of that of the states
  Eigen::SparseMatrix<double> real_;
  Eigen::SparseMatrix<std::complex<double>> complex_;
  std::unique_ptr<RepeatedKlu<double>> real_factors_;
  std::vector<std::unique_ptr<RepeatedKlu<std::complex<double>>>> pair_factors_;
  Matrix of_modes_;
  Eigen::MatrixXcd of_pair_;
};

}  // namespace slideway
