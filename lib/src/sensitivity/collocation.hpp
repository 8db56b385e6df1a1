// The equations of one step of S' = J(t) S by Radau IIA: linear, one system for all stages, and damped as a stiff problem needs it. S has
// N rows, of which those behind the states are constant.
//
// It must not know how long steps are.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "core/factorise.hpp"
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
  // keeps_factors() returns true where a step costs less if it is as long as the step before it.
  virtual bool keeps_factors() const { return false; }
  // J S at t.
  virtual Matrix slope(double t, const Matrix& s) = 0;
  // The slopes at the stages of a step from a, of length h, and S, its upper rows, at the end. There may be more matrices than stages.
  // `floors` are sizes of entries below which they do not count. False if it takes a shorter step to solve the equations.
  [[nodiscard]] virtual bool solve(double a, double h, const Matrix& s, const Matrix& floors,
                                   std::vector<Matrix>& slopes, Matrix& end) = 0;
  // (I − h/4 J)⁻¹ of a defect, about, with a J of the last step.
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
  bool solve(double a, double h, const Matrix& s, const Matrix& floors, std::vector<Matrix>& slopes,
             Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;
  // S, its upper rows, at a stage of the last step: exact to its own rounding, and not to that of a slope as large as a stiff J makes it.
  auto stage(Index k) const { return stages_.middleRows(k * states_, states_); }

 private:
  // Fills the system and the right-hand side of a step of length h for N states.
  template <int N>
  void fill(double h, const Matrix& s);

  Index states_;
  Jacobian jacobian_;
  std::vector<Matrix> at_;
  // parts_ holds what constant rows of S make of the slopes at the stages.
  Matrix system_, right_, stages_, parts_;
  Eigen::PartialPivLU<Matrix> factors_, filter_;
};

}  // namespace slideway
