// A OneStepStepper with the linearly implicit formula RODASP (rodas_coefficients.hpp), for stiff problems: like BDF it is not held up by
// what has died out, and after a start it is at order 4 at once. A step takes a Jacobian, one factorisation and nine velocities, three
// of them for ∂f/∂t, and one more in the middle where something is stiff.
//
// It must not know surfaces, modes or Filippov.
#pragma once

#include <array>
#include <span>

#include "integrate/one_step_stepper.hpp"
#include "integrate/shifted_system.hpp"

namespace slideway {

class RodasStepper final : public OneStepStepper {
 public:
  // Throws std::invalid_argument for a linear solver without factors (gmres), or one that needs a pattern the ode does not have.
  RodasStepper(SmoothOde& ode, const StepperOptions& options);

  bool start(double t, ConstVectorRef x, double end, double first_step) override;
  // The velocities of stages are those of states off the solution by more than their distance in time.
  bool stages_span_step() const override { return false; }

  using Parts = std::array<const double*, 6>;  // the gᵢ of the formula

 private:
  bool advance(double& error) override;
  bool complete() override;
  bool is_implicit() const override { return true; }
  double late_error() override;
  void find_coefficients() override;
  void find_coefficients_of(std::span<const int> states) override;
  void find_chords_of(std::span<const int> states) override;
  void find_chords() override;

  // J and ∂f/∂t where the step begins.
  bool find_derivatives();
  // The time at a part of the step.
  double clock_at(double part) const;
  bool find_stage_velocity(double part);
  bool solve_stage(std::size_t stage);
  // The polynomial of one state in the last step.
  struct Cubic;
  Cubic cubic_of(const Parts& g, Index state) const;
  void find_coefficients_of(const Parts& g, Index state);
  void find_chord_of(const Parts& g, Index state);

  sundials::ContextHandle context_;
  ShiftedSystem shifted_;
  bool has_jacobian_ = false;
  double jacobian_at_ = 0;
  Vector slope_in_time_;
  Vector stage_state_, stage_velocity_, right_, off_middle_;
  std::array<Vector, 6> g_;
};

}  // namespace slideway
