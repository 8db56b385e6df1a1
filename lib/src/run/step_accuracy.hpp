// Whether the last step is accurate where a guard vanishes within it. The dense output p of a step of length h has the defect
//     d(t) = h·maxᵢ |p'ᵢ(t) − fᵢ(t, p(t))| / (rtol·|xᵢ| + atolᵢ)
// there, |xᵢ| being the largest of the state at both ends of the step and at t. The error test of a step sees the field at its stages alone, and not where it
// changes between them, as a friction does near zero velocity. The defect of such a step is large where its guard vanishes (defect control: Enright, "A new
// error-control for initial value solvers", Applied Mathematics and Computation 31, 1989).
//
// It must not know what vanishes, nor what becomes of the step.
#pragma once

#include "simulate/run_state.hpp"

namespace slideway {

class StepAccuracy {
 public:
  // The state must outlive this.
  explicit StepAccuracy(RunState& now) : now_(now) {}

  // can_fail() is false for an affine field, of which stages miss nothing.
  bool can_fail() const { return !now_.here->evaluator.system().definition().field_affine; }
  // holds_at() returns false where d(t) is beyond what the errors of accurate steps show, t being within the last step. It returns true where the
  // field has no value.
  bool holds_at(double t);

 private:
  RunState& now_;
  Vector state_, velocity_, weights_;  // buffers
};

}  // namespace slideway
