// A Stepper that is Boost.Odeint's dopri5: order 5 with an error estimate of order 4, step sizes by a PI controller, and
// full order from the first step after every start.
//
// Dense output is the quartic that shares both ends, both slopes and the midpoint with the formula's own continuous
// extension of order 4; with θ = (t − t₀)/h, d = x₁ − x₀ and u = 16 (x(½) − the cubic of Hermite at ½)
//     x = x₀ + h f₀ θ + (3d − 2h f₀ − h f₁ + u) θ² + (h f₀ + h f₁ − 2d − 2u) θ³ + u θ⁴
//       = x₀ + d θ + θ(1−θ) ((h f₀ − d) (1−θ) − (h f₁ − d) θ) + u θ²(1−θ)²,
// so that it is no farther from its chord than max(|h f₀ − d|, |h f₁ − d|)/4 + |u|/16.
// Where the solution is confined to a surface every step ends on it, and the next one begins there.
// It must not know surfaces, modes or Filippov.
#pragma once

#include <array>
#include <span>

#include "integrate/checked_ode.hpp"
#include "integrate/odeint_dopri5.hpp"
#include "slideway/core/types.hpp"
#include "slideway/integrate/stepper.hpp"

namespace slideway {

class OdeintStepper final : public Stepper {
 public:
  OdeintStepper(SmoothOde& ode, const StepperOptions& options);

  bool start(double t, ConstVectorRef x, double end, double first_step) override;
  StepReport step() override;
  void evaluate(double t, VectorRef x) override;
  Interpolant interpolant() override;
  Interpolant interpolant_of(std::span<const int> states) override;
  StepChords chords_of(std::span<const int> states) override;
  void error_weights(ConstVectorRef x, VectorRef weights) const override;
  double last_step_size() const override { return step_.h; }
  double usual_step() const override { return usual_step_; }
  bool stages_span_step() const override { return true; }
  const StepFailure& failure() const override { return failure_; }
  StepperStatistics statistics() const override;
  std::int64_t steps() const override { return steps_; }

  // Every step is looked at from now on, for is_stiff() to tell.
  void watch_stiffness() { watches_stiffness_ = true; }
  // Stability rather than accuracy has been what limits the steps, for some time now.
  bool is_stiff() const { return stiff_steps_ >= kStiffSteps; }
  // Where the last step ended, or the start is.
  double reached() const { return reached_; }
  // A start has succeeded and the end is not reached; steps that fail do not change that.
  bool is_on_the_way() const { return on_the_way_; }

 private:
  static constexpr int kStiffSteps = 15;
  static constexpr int kSmoothSteps = 6;

  double starting_step();
  double weighted_norm(ConstVectorRef vector) const;
  double error_norm();
  // The step size as a part of what is left to the end.
  double fitted(double h) const;
  bool project();
  void note_stiffness();
  StepReport fail(double h, bool by_error_test);
  void make_interpolant();
  Interpolant last_interpolant() const;

  SmoothOde& ode_;
  CheckedOde checked_;
  Index states_;
  double rtol_;
  Vector atol_;
  double max_step_;
  OdeintDopri5 formula_;

  bool running_ = false;
  bool on_the_way_ = false;
  bool constrained_ = false;
  bool interpolant_is_current_ = false;
  bool has_evaluated_ = false;       // a state within the last step
  bool corrected_ = false;           // the last step has been moved by its projection
  bool last_was_corrected_ = false;  // the last one that was projected
  double end_time_ = 0;
  double reached_ = 0;
  double next_step_size_ = 0;
  double usual_step_ = 0;
  double log_error_before_ = 0;  // of the last accepted step
  OdeintDopri5::Step step_;
  Vector weights_;       // of the greater state at either end of the step
  Vector correction_;    // what the projection added
  Matrix coefficients_;  // of the powers from one on; those of none are the state before the step
  std::array<const double*, 5> columns_ = {};  // of all of them
  Vector off_chord_;

  bool watches_stiffness_ = false;
  int stiff_steps_ = 0;
  int smooth_steps_ = 0;
  StepFailure failure_ = {};
  std::int64_t steps_ = 0;
  std::int64_t restarts_ = 0;
};

}  // namespace slideway
