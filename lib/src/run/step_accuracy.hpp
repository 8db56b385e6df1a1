// StepAccuracy looks at the last step at a time at which a guard vanishes within it. The dense output p of a step of length h has the defect
//     d(t) = h·maxᵢ |p'ᵢ(t) − fᵢ(t, p(t))| / (rtol·|xᵢ| + atolᵢ)
// where |xᵢ| is the largest of the state at both ends of the step and at t. The error test of a step sees the field at its stages alone. A friction that
// rises near zero velocity may rise and fall between two stages: the test then passes, and the step is wrong. The guard of such a friction vanishes where
// it has risen, and there the defect is large (defect control: Enright, "A new error-control for initial value solvers", Applied Mathematics and
// Computation 31, 1989). Errors of the state within the tolerances change a stiff field, or one like a root, by more: a defect counts beside that.
//
// It must not know what vanishes, nor what becomes of the step.
#pragma once

#include "simulate/run_state.hpp"
#include "slideway/detail/model/explained_field.hpp"

namespace slideway {

class StepAccuracy {
 public:
  // The state must outlive this.
  explicit StepAccuracy(const RunState& now) : now_(now) {}

  // can_fail() is false where the field of the mode is affine in time and state: stages miss nothing of it. λ of a surface that slides is a
  // function of these, and so are forces of contacts, with which no field is known to be affine.
  bool can_fail() const {
    const SystemDefinition& definition = now_.here->evaluator.system().definition();
    if (definition.field_affine) return false;
    const auto* const field = definition.field.target<ExplainedField>();
    return field == nullptr || !field->is_affine_by_mode() || now_.here->ode.slides();
  }
  // holds_before() returns false where d is beyond what the errors of accurate steps show at an arrival t within the last step, or shortly before it:
  // at zero velocity the field of a friction hides what it has been. It returns true where the field has no value.
  bool holds_before(double t);

 private:
  bool holds_at(double t);
  // Errors of the state make as large defects as these: `defects` have an entry per state, in tolerances.
  bool is_explained_by_errors(double t, double length, ConstVectorRef defects);

  const RunState& now_;
  Vector state_, velocity_, weights_, defects_;  // buffers
};

}  // namespace slideway
