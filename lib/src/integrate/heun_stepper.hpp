// A OneStepStepper with Heun's formula of order 2, both of whose points are made of Euler steps:
//     x₁ = x + h f(t, x),   x⁺ = ½ x + ½ (x₁ + h f(t + h, x₁)).
// It serves where a field has no value, or no derivative, beside the state, as √x at x = 0. A formula of high order extrapolates, so
// that some of its stages lie outside, whatever the length of the step. Euler steps along a field that points into a convex domain stay in it
// (Nagumo), and so do their means (Shu & Osher, 1988).
//
// Dense output is the parabola that shares both ends and the slope at the start. It is no farther from its chord than |d − h f|/4 with
// d = x⁺ − x.
// It must not know surfaces, modes or Filippov.
#pragma once

#include <span>

#include "integrate/one_step_stepper.hpp"

namespace slideway {

class HeunStepper final : public OneStepStepper {
 public:
  HeunStepper(SmoothOde& ode, const StepperOptions& options);

 private:
  bool advance(double& error) override;
  bool complete() override;
  void find_coefficients() override;
  void find_coefficients_of(std::span<const int> states) override;
  void find_chords_of(std::span<const int> states) override;
  void find_chords() override;

  void find_coefficients_of(Index state);
  void find_chord_of(Index state);
};

}  // namespace slideway
