#include "run/step_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "simulate/precision.hpp"

namespace slideway {

bool StepAccuracy::holds_at(double t) {
  const Index n = now_.x.size();
  for (Vector* vector : {&state_, &velocity_, &weights_}) vector->resize(n);
  now_.stepper->evaluate(t, state_);
  now_.here->evaluator.keep_field_at(t, state_);
  try {
    now_.here->ode.velocity(t, state_, velocity_);
  } catch (const std::runtime_error&) {
    return true;
  }
  // A state on its way through zero needs no more accuracy than before and after.
  now_.stepper->evaluate(now_.step.end, weights_);
  state_ = weights_.cwiseAbs().cwiseMax(state_.cwiseAbs()).cwiseMax(now_.x.cwiseAbs());
  now_.here->stepper->error_weights(state_, weights_);
  const Interpolant dense = now_.stepper->interpolant();
  const double place = dense.place(t);
  const double length = now_.stepper->last_step_size();
  for (Index i = 0; i < n; ++i) {
    double slope = 0;
    for (Index k = dense.terms - 1; k > 0; --k)
      slope = place * slope + static_cast<double>(k) * dense.columns[k][i];
    if (std::abs(slope / dense.scale - velocity_[i]) * length * weights_[i] > kStepDefect) return false;
  }
  return true;
}

}  // namespace slideway
