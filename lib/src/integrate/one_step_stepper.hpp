// A Stepper that takes steps by a one-step formula: a PI controller sets their lengths, and steps that fail are
// repeated. It is at full order from the first step after every start. The formula and the polynomial of its steps are given
// by the classes that derive from it.
//
// Where the solution is confined to a surface every step ends on it, and the next one begins there.
// It must not know surfaces, modes or Filippov.
#pragma once

#include <span>
#include <vector>

#include "integrate/checked_ode.hpp"
#include "integrate/clock_tolerances.hpp"
#include "integrate/runge_kutta_step.hpp"
#include "integrate/stepper.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class OneStepStepper : public Stepper {
 public:
  bool start(double t, ConstVectorRef x, double end, double first_step) override;
  StepReport step() override;
  void evaluate(double t, VectorRef x) override;
  Interpolant interpolant() override;
  Interpolant interpolant_of(std::span<const int> states) override;
  StepChords chords_of(std::span<const int> states) override;
  FunctionChord chord_of(std::span<const int> states, const double* weights) override;
  void error_weights(ConstVectorRef x, VectorRef weights) const override;
  double last_step_size() const override { return step_.h; }
  double usual_step() const override { return way_.usual_step; }
  bool stages_span_step() const override { return true; }
  const StepFailure& failure() const override { return failure_; }
  StepperStatistics statistics() const override;
  std::int64_t steps() const override { return steps_; }

  // Every step is looked at from now on, for is_stiff() to tell.
  void watch_stiffness() { watches_stiffness_ = true; }
  // Stability rather than accuracy has been what limits the steps, for some time now.
  bool is_stiff() const { return stiffness_.stiff_steps >= kStiffSteps * kHeldUpSteps; }
  // reached() is where the last step ended, or the start is.
  double reached() const { return way_.reached; }
  // A start has succeeded and the end is not reached; steps that fail do not change that.
  bool is_on_the_way() const { return way_.on_the_way; }

 protected:
  // Control follows Hairer, Nørsett & Wanner I, II.4. A step whose error is `err` tolerances, after one of
  // err_before, is followed by one that is safety·err^−(1/order − 0.75β)·err_before^β as long, but no more than
  // `growth` and no less than `reduction`.
  struct Control {
    // The error of a step goes with this power of its length.
    double order;
    double beta;
    double safety;
    double growth;
    double reduction;
    // The first step is at most so many of a trial step in which the state changes by a hundredth.
    double trial_parts;
    // starting_error is the error of the first step, in tolerances, by a rough guess of the derivative of that
    // order.
    double starting_error;
    // late_error_guides tells whether the next step is as long as late_error() says too, which goes with the
    // same power of the length.
    bool late_error_guides = false;
    // ends_on_clock tells whether a step ends at a time that the clock holds: what is stiff multiplies the
    // time by which it would be late.
    bool ends_on_clock = false;
    // The longest h·rate at which a step still damps to a half what decays at this rate; 0: the formula damps at any length.
    double halves_up_to = 0;
  };

  OneStepStepper(SmoothOde& ode, const StepperOptions& options, const Control& control, Index terms);

  // advance() takes the step of `step_` from its start. It sets `error`, in units of the tolerances, and
  // weights_, the units of the larger state at either end: a state on its way through zero needs no more
  // accuracy than before and after. It returns false if a velocity is not usable.
  [[nodiscard]] virtual bool advance(double& error) = 0;
  // Makes of a step that is accurate one to go on from: project() is to be part of that. False if that fails.
  [[nodiscard]] virtual bool complete() = 0;
  // True for a method whose steps solve equations.
  virtual bool is_implicit() const { return false; }
  // The part of the error that shows only after a step, in units of the tolerances, never NaN; the step is taken again, shorter,
  // if it is more than 1.
  virtual double late_error() { return 0; }
  // Bounds by the chords of the last step hold at θ = 1, where it ends: not after a step that the clock has shortened.
  bool has_chords() const;
  // The polynomial of the last step, which has a length: all coefficients from the first power on, or of these states alone.
  virtual void find_coefficients() = 0;
  virtual void find_coefficients_of(std::span<const int> states) = 0;
  // x at θ = s in the last step; with the coefficients, unless the class knows a shorter way.
  virtual void evaluate_within(double s, VectorRef x);
  // off_chord_ of the last step, its projection included; of these states, or of all.
  virtual void find_chords_of(std::span<const int> states) = 0;
  virtual void find_chords() = 0;

  // Onto the surface that the solution is confined to, if it is. The velocity is left alone, and the weights are those of the error.
  bool project() { return !way_.constrained || project_onto_surface(); }
  // note_stiffness() takes a step with both its velocities, and its last stage, whose time is that of the end.
  // It notes whether about h·|λ| > limit, λ the dominant eigenvalue of the Jacobian along the step. It also
  // notes whether the error test holds h·|λ| below the limit although the velocity changes far less than λ would
  // make it.
  void note_stiffness(double limit, const Vector& stage_state, const Vector& stage_velocity);

  Index states_;
  CheckedOde checked_;
  double rtol_;
  Vector atol_;  // of the error test, which may have to allow for the rounding of the clock
  RungeKuttaStep step_;
  bool interpolant_is_current_ = false;
  bool corrected_ = false;  // the last step has been moved by its projection
  bool watches_stiffness_ = false;
  Vector weights_;
  Vector correction_;    // what the projection added
  Matrix coefficients_;  // of the powers from one on; those of none are the state before the step
  std::vector<const double*> columns_;  // of all of them
  Vector off_chord_;

 private:
  static constexpr int kStiffSteps = 15;
  // This many steps that stiffness shortens, though within the limit of stability, count as one beyond the
  // limit.
  static constexpr int kHeldUpSteps = 64;
  static constexpr int kSmoothSteps = 6;

  bool project_onto_surface();
  // Stability rather than accuracy has bounded the step, which is far from both where note_stiffness() looks.
  void note_bounded_step();
  // The longest step that is stable where the ode knows a rate of decay.
  double longest_stable_step();
  // allow_for_clock() takes a step h from `step_.t` on; each later step of this start calls it.
  void allow_for_clock(double h);
  double starting_step();
  double weighted_norm(ConstVectorRef vector) const;
  // The step size as a part of what is left to the end.
  double fitted(double h) const;
  double on_clock(double h) const;
  StepReport fail(double h, bool by_error_test);
  void make_interpolant();
  Interpolant last_interpolant() const;

  // The way from the start to the end.
  struct Way {
    bool running = false;
    bool on_the_way = false;
    bool constrained = false;
    bool knows_decay = false;
    bool last_was_corrected = false;  // the last one that was projected
    double end = 0;
    double reached = 0;
    double next_step = 0;
    double usual_step = 0;
    double log_error_before = 0;  // of the last accepted step
  };
  struct Stiffness {
    int stiff_steps = 0;  // in units of those that are held up
    int smooth_steps = 0;
  };

  SmoothOde& ode_;
  Control control_;
  double max_step_;
  Vector given_atol_;
  ClockTolerances on_clock_;
  bool allows_for_clock_ = false;

  Way way_;
  Stiffness stiffness_;
  StepFailure failure_ = {};
  std::int64_t steps_ = 0;
  std::int64_t restarts_ = 0;
};

}  // namespace slideway
