// A OneStepStepper with the formula of Dormand and Prince of order 5 with an error estimate of order 4.
//
// Dense output is the quartic that shares both ends, both slopes and the midpoint with the formula's own continuous
// extension of order 4; with θ = (t − t₀)/h, d = x₁ − x₀ and u = 16 (x(½) − the cubic of Hermite at ½)
//     x = x₀ + h f₀ θ + (3d − 2h f₀ − h f₁ + u) θ² + (h f₀ + h f₁ − 2d − 2u) θ³ + u θ⁴
//       = x₀ + d θ + θ(1−θ) ((h f₀ − d) (1−θ) − (h f₁ − d) θ) + u θ²(1−θ)²,
// so that it is no farther from its chord than max(|h f₀ − d|, |h f₁ − d|)/4 + |u|/16.
// It must not know surfaces, modes or Filippov.
#pragma once

#include <span>

#include "integrate/odeint_formulas.hpp"
#include "integrate/one_step_stepper.hpp"

namespace slideway {

class Dopri5Stepper final : public OneStepStepper {
 public:
  Dopri5Stepper(SmoothOde& ode, const StepperOptions& options);

  bool start(double t, ConstVectorRef x, double end, double first_step) override;
  Interpolant interpolant_shape() override;
  void copy_coefficients(double* to) override;
  FunctionChord chord_of(std::span<const int> states, const double* weights) override;

 private:
  bool advance(double& error) override;
  bool complete() override;
  void find_coefficients() override;
  void find_coefficients_of(std::span<const int> states) override;
  void evaluate_within(double s, VectorRef x) override;
  void find_chords_of(std::span<const int> states) override;
  void find_chords() override;

  double error_norm();

  OdeintDopri5 formula_;
  bool has_evaluated_ = false;  // a state within the last step
};

}  // namespace slideway
