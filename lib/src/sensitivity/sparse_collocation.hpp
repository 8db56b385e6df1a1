// The same where J is large and sparse but for parts of low rank: these have unknowns of their own, as Ĵ has (bordered_jacobian.hpp).
// The stages of a step are solved for with one Ĵ*, by modes of the size of Ĵ (stage_modes.hpp). This is exact where Ĵ is constant, and is
// repeated until it agrees with Ĵ at each of the stages where it is not. Factors serve all steps of the same Ĵ* and h.
//
// It must not know how long steps are.
#pragma once

#include <vector>

#include "sensitivity/bordered_jacobian.hpp"
#include "sensitivity/collocation.hpp"
#include "sensitivity/mode_factors.hpp"

namespace slideway {

class SparseCollocation final : public Collocation {
 public:
  // The pattern, N×N, must outlive this. The equations are solved to this part of the sizes of entries of S. Each formula has an odd number
  // of stages.
  SparseCollocation(const Formulas& formulas, Index states, const Pattern& pattern, double tolerance,
                    BorderedJacobian::Jacobian jacobian);

  bool keeps_factors() const override { return true; }
  Matrix slope(double t, const Matrix& s) override;
  bool solve(double a, double h, const Matrix& s, const Matrix& floors, std::vector<Matrix>& slopes,
             Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;

 private:
  ModeFactors& factors() { return factors_[static_cast<std::size_t>(&formula() - formulas().data())]; }
  // Evaluates Ĵ at all stages; false if its size changes on the way.
  bool evaluate(double a, double h, const Matrix& s);
  // is_constant() returns true where Ĵ is the same at all stages of the step.
  bool is_constant() const;
  // Where S has not changed yet, and Ĵ is the same at all stages, so is their product.
  void find_residuals(const Matrix& s, bool is_first, bool are_alike);
  // The rates of the stages, from their changes.
  void find_rates(double h);
  // The largest of the last changes, as a part of sizes of entries.
  double largest_change(const Matrix& s, const Matrix& floors);
  auto of_stage(Matrix& all, Index k, Index q) const {
    return Eigen::Map<Matrix>(all.col(k).data(), jacobian_.size(), q);
  }

  double tolerance_;
  BorderedJacobian jacobian_;
  std::vector<ModeFactors> factors_;  // of all formulas
  std::vector<BorderedJacobian::Value> stages_;
  // A column for each stage, of the unknowns of all columns of S one after the other: their changes since the start of the step, the last
  // corrections of these, and their rates.
  Matrix moved_, corrections_, rates_;
};

}  // namespace slideway
