#include "locate/dense_guards.hpp"

#include <exception>
#include <stdexcept>

#include "core/state_errors.hpp"
#include "filippov/side_loops.hpp"

namespace slideway {

bool DenseGuards::is_armed(Index slot) const {
  if (affine_ && affine_->watches(slot)) return affine_->armed(slot);
  return now_.here->scan.armed()[static_cast<std::size_t>(slot)] != 0;
}

void DenseGuards::sample(double t, VectorRef values) {
  LocationTools& tools = *now_.here;
  if (tools.ode.recall(t, values)) return;
  state_at(t);
  try {
    tools.ode.sample(t, state_, values);
  } catch (const std::exception&) {
    if (!mirror_what_is_hardly_left(t)) throw;
    tools.ode.sample(t, state_, values);
  }
}

// Errors may put the state on the wrong side of a surface that the solution has just left, where the field may have no value. The
// function mirrors the state to the same distance on the right side, which changes it by no more than these errors.
bool DenseGuards::mirror_what_is_hardly_left(double t) {
  LocationTools& tools = *now_.here;
  Vector h(now_.regime.mode().size());
  tools.evaluator.guards(t, state_, h);
  bool any = false;
  for (Index i = 0; i < h.size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (now_.regime.mode().slides_on(i) || is_armed(slot)) continue;
    const double beyond = -number_of(now_.regime.mode()[i]) * h[i];
    if (!(beyond > 0) || beyond > tools.guards.arrive_below()[slot]) continue;
    any = tools.geometry.change_guard(t, i, -2 * h[i], *weights_of_state_, state_) || any;
  }
  return any;
}

double DenseGuards::sample_one(double t, Index guard, VectorRef scratch) {
  LocationTools& tools = *now_.here;
  if (guard < tools.ode.event_slot(0)) return GuardSampler::sample_one(t, guard, scratch);
  if (tools.ode.recall(t, scratch)) return scratch[guard];
  state_at(t);
  return tools.ode.sample_event(t, state_, guard);
}

// state_at() puts the state back on its surfaces. Dense output leaves a curved surface by errors that nothing
// controls, and any surface by its drift. Events found off the surface would differ, and simultaneous ones would
// not be found at one time.
void DenseGuards::state_at(double t) {
  LocationTools& tools = *now_.here;
  state_.resize(now_.x.size());
  now_.stepper->evaluate(t, state_);
  weights_of_state_ = &now_.weights;
  if (!now_.dense_output_drifts() && (!tools.ode.slides() || tools.evaluator.guards_are_affine())) return;
  // The way back to the surface depends on the weights: they are those with which the state at an event is put there.
  weights_.resize(state_.size());
  tools.stepper->error_weights(state_, weights_);
  weights_of_state_ = &weights_;
  try {
    tools.ode.project(t, weights_, state_);
  } catch (const std::runtime_error&) {
    // The state may be far from the surfaces beyond the end of sliding; the guards still tell the way.
    now_.stepper->evaluate(t, state_);
  }
}

void DenseGuards::noise(double t, VectorRef values) {
  LocationTools& tools = *now_.here;
  state_at(t);
  weights_.resize(state_.size());
  tools.stepper->error_weights(state_, weights_);
  plain_values_.resize(values.size());
  tools.ode.sample(t, state_, plain_values_);
  nudged_state_ = state_;
  add_errors(weights_, nudged_state_);
  // The guards need not have values beyond a surface: errors to the other side make as much noise. No noise is
  // known where they have none there either.
  for (const bool last : {false, true}) {
    try {
      tools.ode.exit_guards(t, nudged_state_, values);
      break;
    } catch (const std::exception&) {
      if (last) {
        values.setZero();
        return;
      }
      nudged_state_ = 2 * state_ - nudged_state_;
    }
  }
  values = (values - plain_values_).cwiseAbs();
}

}  // namespace slideway
