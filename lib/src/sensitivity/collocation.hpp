// The equations of one step of S' = J(t) S by Radau IIA: linear, one system for all stages, and damped as a stiff problem needs it. S has
// N rows, of which those behind the states are constant.
//
// It must not know how long steps are.
#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <functional>
#include <vector>

#include "core/factorise.hpp"
#include "core/split_jacobian.hpp"
#include "sensitivity/radau.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class Collocation {
 public:
  // `formulas` are those to choose from, and must outlive this.
  using Formulas = std::vector<Radau>;
  explicit Collocation(const Formulas& formulas) : formulas_(formulas), formula_(&formulas.front()) {}
  virtual ~Collocation() = default;
  const Formulas& formulas() const { return formulas_; }
  const Radau& formula() const { return *formula_; }
  void use(const Radau& formula) { formula_ = &formula; }
  // The stages of the formula that has the most.
  std::size_t most_stages() const {
    std::size_t most = 0;
    for (const Radau& formula : formulas_) most = std::max(most, static_cast<std::size_t>(formula.stages));
    return most;
  }
  // J S at t.
  virtual Matrix slope(double t, const Matrix& s) = 0;
  // The slopes at the stages of a step from a, of length h, and S, its upper rows, at the end. There may be more matrices than stages.
  virtual void solve(double a, double h, const Matrix& s, std::vector<Matrix>& slopes, Matrix& end) = 0;
  // (I − h/4 J)⁻¹ of a defect, with J of the first stage of the last step.
  virtual Matrix damped(double h, const Matrix& defect) = 0;

 protected:
  double time_of(double a, double h, Index stage) const {
    return stage + 1 == formula().stages ? a + h : a + formula().nodes[stage] * h;
  }

 private:
  const Formulas& formulas_;
  const Radau* formula_;
};

class DenseCollocation final : public Collocation {
 public:
  // J at t, N×N.
  using Jacobian = std::function<void(double t, Matrix& jacobian)>;
  DenseCollocation(const Formulas& formulas, Index states, Jacobian jacobian)
      : Collocation(formulas), states_(states), jacobian_(std::move(jacobian)), at_(most_stages()) {}

  Matrix slope(double t, const Matrix& s) override;
  void solve(double a, double h, const Matrix& s, std::vector<Matrix>& slopes, Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;
  // S, its upper rows, at a stage of the last step: exact to its own rounding, and not to that of a slope as large as a stiff J makes it.
  auto stage(Index k) const { return stages_.middleRows(k * states_, states_); }

 private:
  Index states_;
  Jacobian jacobian_;
  std::vector<Matrix> at_;
  Matrix system_, right_, stages_;
  Eigen::PartialPivLU<Matrix> factors_, filter_;
};

// The same where J is sparse but for parts of low rank, which have unknowns of their own.
class SparseCollocation final : public Collocation {
 public:
  using Jacobian = std::function<void(double t, SplitJacobian& jacobian)>;
  // The pattern, N×N, must outlive this.
  SparseCollocation(const Formulas& formulas, Index states, const Pattern& pattern, Jacobian jacobian)
      : Collocation(formulas),
        states_(states),
        pattern_(pattern),
        jacobian_(std::move(jacobian)),
        at_(most_stages()) {}

  Matrix slope(double t, const Matrix& s) override;
  void solve(double a, double h, const Matrix& s, std::vector<Matrix>& slopes, Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;

 private:
  using Entries = std::vector<Eigen::Triplet<double>>;
  using Factors = Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>;
  // J S, given what the further unknowns are.
  Matrix times(const SplitJacobian& jacobian, const Matrix& s, const Matrix& further) const;
  static Index further_unknowns(const SplitJacobian& jacobian) {
    return jacobian.left.cols() + jacobian.corner.rows();
  }
  void factorise(Factors& factors, Index& known, Index size);

  Index states_;
  const Pattern& pattern_;
  Jacobian jacobian_;
  std::vector<SplitJacobian> at_;
  Entries entries_;
  Eigen::SparseMatrix<double> system_;
  Factors factors_, filter_;
  Index known_entries_ = -1, known_filter_ = -1;
};

}  // namespace slideway
