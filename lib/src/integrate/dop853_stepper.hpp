// A OneStepStepper with the formula of Dormand and Prince of order 8: for tolerances so tight that a formula of order 5 takes many
// short steps. The error is what their program dop853.f makes of two estimates, of orders 5 and 3.
//
// Dense output is the formula's continuous extension of order 7, for which every step asks for three more velocities; with
// θ = (t − t₀)/h, d = x₁ − x₀ and the sums dᵢ of dop853_coefficients.hpp
//     x = x₀ + d θ + θ(1−θ) ((h f₀ − d) (1−θ) − (h f₁ − d) θ) + h (d₁ θ²(1−θ)² + d₂ θ³(1−θ)² + d₃ θ³(1−θ)³ + d₄ θ⁴(1−θ)³),
// so that it is no farther from its chord than the sum of what these terms can be.
// It must not know surfaces, modes or Filippov.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "integrate/odeint_formulas.hpp"
#include "integrate/one_step_stepper.hpp"

namespace slideway {

class Dop853Stepper final : public OneStepStepper {
 public:
  Dop853Stepper(SmoothOde& ode, const StepperOptions& options);

 private:
  bool advance(double& error) override;
  bool complete() override;
  double late_error() override;
  void find_coefficients() override;
  void find_coefficients_of(std::span<const int> states) override;
  void find_chords_of(std::span<const int> states) override;
  void find_chords() override;

  // The new state, and its error.
  double end_step();
  // The velocity at the end and within the step.
  bool extend();
  template <std::size_t kSize>
  bool extend_to(double c, const std::array<double, kSize>& a,
                 const std::array<const double*, kSize>& velocities, Vector& velocity);

  OdeintDop853 formula_;
  std::array<const double*, 7> stages_ = {};  // 6 … 12
  Vector third_error_;
  Vector state_within_;
  std::optional<Eigen::Ref<const Vector>> within_;  // making a reference takes as long as a small field
  std::array<Vector, 3> extension_ = {};            // the stages 14 … 16
};

}  // namespace slideway
