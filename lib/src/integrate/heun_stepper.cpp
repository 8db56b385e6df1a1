#include "integrate/heun_stepper.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

HeunStepper::HeunStepper(SmoothOde& ode, const StepperOptions& options)
    : OneStepStepper(ode, options,
                     {.order = 2,
                      .beta = 0,
                      .safety = 0.9,
                      .growth = 5,
                      .reduction = 0.1,
                      .trial_parts = 1,
                      .starting_error = 1},
                     3) {}

// The error is that of Euler's step, which bounds the error where the field has no derivative, too.
bool HeunStepper::advance(double& error) {
  const double end = std::min(step_.t + step_.h, step_.latest);
  step_.x_new = step_.x + step_.h * step_.velocity;
  if (!checked_.velocity(end, step_.x_new, step_.velocity_new)) return false;
  step_.error = 0.5 * step_.h * (step_.velocity_new - step_.velocity);
  step_.x_new += step_.error;
  double sum = 0;
  for (Index i = 0; i < states_; ++i) {
    weights_[i] = 1 / (rtol_ * std::max(std::abs(step_.x[i]), std::abs(step_.x_new[i])) + atol_[i]);
    sum += (weights_[i] * step_.error[i]) * (weights_[i] * step_.error[i]);
  }
  error = std::sqrt(sum / static_cast<double>(states_));
  return true;
}

bool HeunStepper::complete() {
  if (!project()) return false;
  return checked_.velocity(std::min(step_.t + step_.h, step_.latest), step_.x_new, step_.velocity_new);
}

void HeunStepper::find_coefficients_of(Index i) {
  const double slope = step_.h * step_.velocity[i];
  coefficients_.row(i) << slope, step_.x_new[i] - step_.x[i] - slope;
}

void HeunStepper::find_coefficients() {
  for (Index i = 0; i < states_; ++i) find_coefficients_of(i);
}

void HeunStepper::find_coefficients_of(std::span<const int> states) {
  for (const Index i : states) find_coefficients_of(i);
}

void HeunStepper::find_chord_of(Index i) {
  const double off = step_.x_new[i] - step_.x[i] - step_.h * step_.velocity[i];
  off_chord_[i] =
      0.25 * std::abs(off) + StepChords::kRounding * (std::abs(step_.x[i]) + std::abs(step_.x_new[i]));
}

void HeunStepper::find_chords() {
  for (Index i = 0; i < states_; ++i) find_chord_of(i);
}

void HeunStepper::find_chords_of(std::span<const int> states) {
  for (const Index i : states) find_chord_of(i);
}

}  // namespace slideway
