#include "run/step_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/direct_velocity.hpp"
#include "core/state_errors.hpp"
#include "simulate/precision.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// The velocity by one call, as that of a step; false where it takes more, is not finite, or throws.
bool find_directly(ModeOde& ode, double t, const Vector& state, Vector& velocity) {
  DirectVelocity direct;
  if (!ode.tell_directly(direct)) return false;
  ++*direct.calls;
  try {
    (*direct.function)(t, state, *direct.parameters, velocity);
  } catch (...) {
    return false;
  }
  return direct.is_confined ? direct.confine(t, velocity.data()) : all_finite(velocity);
}

}  // namespace

bool StepAccuracy::holds_before(double t) {
  for (Vector* vector : {&state_, &velocity_, &weights_, &defects_}) vector->resize(now_.x.size());
  // A state on its way through zero needs no more accuracy than before and after.
  now_.stepper->evaluate(now_.step.end, velocity_);
  now_.stepper->evaluate(t, state_);
  const Vector& end = velocity_;
  defects_ = end.cwiseAbs().cwiseMax(state_.cwiseAbs()).cwiseMax(now_.x.cwiseAbs());
  now_.here->stepper->error_weights(defects_, weights_);
  if (!holds_at(t)) return false;
  const double before = std::max(now_.t, t - kPartOfStep * now_.stepper->last_step_size());
  now_.stepper->evaluate(before, state_);
  return holds_at(before);
}

// The state at t is state_.
bool StepAccuracy::holds_at(double t) {
  now_.here->evaluator.keep_field_at(t, state_);
  try {
    if (!find_directly(now_.here->ode, t, state_, velocity_)) now_.here->ode.velocity(t, state_, velocity_);
  } catch (const std::exception&) {
    return true;
  }
  const Interpolant dense = now_.stepper->interpolant();
  const double place = dense.place(t);
  const double length = now_.stepper->last_step_size();
  for (Index i = 0; i < defects_.size(); ++i) {
    double slope = 0;
    for (Index k = dense.terms - 1; k > 0; --k)
      slope = place * slope + static_cast<double>(k) * dense.columns[k][i];
    defects_[i] = std::abs(slope / dense.scale - velocity_[i]) * length * weights_[i];
  }
  return !(defects_.maxCoeff() > kStepDefect) || is_explained_by_errors(t, length, defects_);
}

bool StepAccuracy::is_explained_by_errors(double t, double length, ConstVectorRef defects) {
  add_errors(weights_, state_);
  Vector changed(velocity_.size());
  try {
    now_.here->ode.velocity(t, state_, changed);
  } catch (const std::exception&) {
    return true;
  }
  changed = (changed - velocity_).cwiseAbs().cwiseProduct(weights_) * length;
  return (defects.array() <= kStepDefect + kDefectOfErrors * changed.array()).all();
}

}  // namespace slideway
