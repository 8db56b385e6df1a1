// The equations of an equilibrium in one mode: unknowns z = (x/sizes, λ_S, Λ_C), as many equations,
//
//     f(x, λ) + Σ b_c(x) Λ_c = 0,      hᵢ(x) = 0 for i in S,      gap_c(x) = 0 for c in C.
//
// Along one surface f is (1 − α) f⁻ + α f⁺ with λ = 2α − 1, unless the rule is that of the equivalent control.
// It must not know how zeros are found.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/filippov/sliding_rule.hpp"

namespace slideway {

class EquilibriumEquations {
 public:
  // One entry of the mode per surface, then one per contact, which slides where it is closed.
  EquilibriumEquations(Evaluator& evaluator, SlidingRule rule, double t, Mode mode, Vector sizes);

  Index unknowns() const { return n_ + constraints(); }
  Index constraints() const { return static_cast<Index>(sliding_.size() + closed_.size()); }
  const std::vector<Index>& sliding() const { return sliding_; }
  const std::vector<Index>& closed() const { return closed_; }
  const Mode& mode() const { return mode_; }

  Vector start(ConstVectorRef x) const;
  Vector state(ConstVectorRef z) const { return z.head(n_).cwiseProduct(sizes_); }
  Vector lambda(ConstVectorRef z) const;
  Vector forces(ConstVectorRef z) const;

  // The equations and their derivatives by z.
  void evaluate(ConstVectorRef z, Vector& value, Matrix& jacobian);

 private:
  void add_forces(ConstVectorRef z, const Vector& x, Vector& value, Matrix& jacobian);

  Evaluator& evaluator_;
  SlidingRule rule_;
  double t_;
  Mode mode_;
  Vector sizes_;
  Index n_, m_;
  std::vector<Index> sliding_, closed_;
};

}  // namespace slideway
