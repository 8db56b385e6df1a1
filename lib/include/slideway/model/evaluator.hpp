// Values and derivatives of one System at a point, from the best source there is for each:
// the user's analytic derivative, else dual numbers, else finite differences.
//
//     w  = ∂h/∂t + ∂h/∂x·f            normal components (guard rates)
//     ḧ  = d²h/dt² along x' = f(t,x,λ) with λ frozen
//
// An Evaluator is the scratch space and the counters of one run: not thread-safe, never allocates after
// construction. It must not know modes, sliding or time stepping.
#pragma once

#include <cstdint>

#include "slideway/model/system.hpp"

namespace slideway {

// Where a derivative comes from.
enum class DerivativeSource { analytic, dual, finite_difference };

// How often the user's functions were called. Evaluations inside a Jacobian are counted by the Jacobian.
struct EvaluationCounts {
  std::int64_t field = 0;
  std::int64_t guards = 0;
  std::int64_t jacobians = 0;
};

class Evaluator {
 public:
  explicit Evaluator(System system);

  const System& system() const { return system_; }
  const EvaluationCounts& counts() const { return counts_; }
  EvaluationCounts& counts() { return counts_; }

  void field(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx);
  void guards(double t, ConstVectorRef x, VectorRef h);

  // J(i,j) = ∂fᵢ/∂xⱼ, n×n.
  void field_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);
  // J(i,j) = ∂fᵢ/∂λⱼ, n×m.
  void field_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);
  // dx = f and dx_dot = its derivative along (t_dot, x_dot) with λ frozen.
  void field_along(double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot, ConstVectorRef x_dot,
                   VectorRef dx, VectorRef dx_dot);

  // J(i,j) = ∂hᵢ/∂xⱼ, m×n.
  void guards_dx(double t, ConstVectorRef x, MatrixRef jacobian);
  // ∂hᵢ/∂xⱼ for one surface i, n entries.
  void guard_gradient(double t, ConstVectorRef x, Index surface, VectorRef gradient);
  // ∂hᵢ/∂t, m entries.
  void guards_dt(double t, ConstVectorRef x, VectorRef derivative);
  // w = ∂h/∂t + ∂h/∂x·dx, m entries, with dx the velocity of the state.
  void guard_rates(double t, ConstVectorRef x, ConstVectorRef dx, VectorRef rates);
  // ḧ along the field at λ frozen, m entries; dx must be f(t, x, λ).
  void guard_curvatures(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                        VectorRef curvatures);
  // J(i,j) = ∂wᵢ/∂xⱼ at λ frozen, m×n.
  void normal_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);

  DerivativeSource field_dx_source() const;
  DerivativeSource guards_dx_source() const;
  DerivativeSource normal_dx_source() const;

 private:
  System system_;
  EvaluationCounts counts_;
  Vector lambda_zero_, state_seed_, state_shifted_, field_value_, field_low_, field_dot_;
  Vector guard_value_, guard_low_, guard_dot_, state_zero_;
  Matrix guard_matrix_;
};

}  // namespace slideway
