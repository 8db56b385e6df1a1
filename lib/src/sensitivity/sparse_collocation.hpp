// The same where J is large and sparse but for parts of low rank, J = S + U Vᵀ − B K⁻¹ C: v = Vᵀ S and y = K⁻¹ C S are unknowns beside S,
//     ( S   U  −B )
//     ( Vᵀ −I   0 ) = Ĵ,      S' = first rows of Ĵ (S, v, y),      0 = the others.
//     ( C   0  −K )
// The stages of a step are solved for with one Ĵ*, by modes of the size of Ĵ (stage_modes.hpp). That is exact where Ĵ is constant, and is
// repeated until it agrees with Ĵ at each of the stages where it is not. Factors serve all steps of the same Ĵ* and h.
//
// It must not know how long steps are.
#pragma once

#include <Eigen/KLUSupport>
#include <Eigen/SparseCore>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/split_jacobian.hpp"
#include "sensitivity/collocation.hpp"
#include "sensitivity/stage_modes.hpp"
#include "slideway/core/pattern.hpp"

namespace slideway {

class SparseCollocation final : public Collocation {
 public:
  using Jacobian = std::function<void(double t, SplitJacobian& jacobian)>;
  // The pattern, N×N, must outlive this. The equations are solved to this part of the sizes of entries of S. Each formula has an odd number
  // of stages.
  SparseCollocation(const Formulas& formulas, Index states, const Pattern& pattern, double tolerance,
                    Jacobian jacobian);

  bool keeps_factors() const override { return true; }
  Matrix slope(double t, const Matrix& s) override;
  bool solve(double a, double h, const Matrix& s, const Matrix& floors, std::vector<Matrix>& slopes,
             Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  using ComplexMatrix = Eigen::MatrixXcd;
  using ComplexSparse = Eigen::SparseMatrix<std::complex<double>>;
  // Ĵ at a stage, and what constant rows of S make of S'.
  struct Stage {
    Sparse jacobian;
    Matrix constant;
  };
  struct Entry {
    int row, column;
    double value;
  };
  void evaluate(double t, const Matrix& s, Stage& stage);
  void assemble(Stage& stage);
  void find_slots();
  bool has_factors(double h) const;
  void factorise(double h);
  const StageModes& modes() const;
  // The change of all stages that makes residuals with Ĵ* zero.
  void find_changes(const std::vector<Matrix>& residuals);

  Index states_, size_ = 0;
  const Pattern& pattern_;
  double tolerance_;
  Jacobian jacobian_;
  std::vector<StageModes> modes_;  // of all formulas
  SplitJacobian split_ = {};
  std::vector<Stage> stages_;
  // The entries of Ĵ as they come, and where each is in the matrix of those before, whose pattern this is.
  std::vector<Entry> entries_;
  std::vector<std::pair<int, int>> places_;
  std::vector<int> slots_;
  Sparse like_;
  std::vector<Matrix> moved_, changes_, residuals_;

  // star_, step_ and of_ are what has factors; diagonal_ holds the places of the diagonal of the states in it.
  Sparse star_;
  double step_ = 0;
  const Radau* of_ = nullptr;
  std::vector<Index> diagonal_;
  Sparse real_;
  ComplexSparse complex_;
  std::unique_ptr<Eigen::KLU<Sparse>> real_factors_;
  std::vector<std::unique_ptr<Eigen::KLU<ComplexSparse>>> pair_factors_;
};

}  // namespace slideway
