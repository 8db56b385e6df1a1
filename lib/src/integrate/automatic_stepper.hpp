// A Stepper that chooses its method as it goes. It begins with dopri5. Where tolerances are tight it takes dop853 for what takes many
// steps of dopri5, and dopri5 again where starts follow each other so fast that a step of dop853, which takes twice as many
// evaluations, is cut off by each. It goes over to BDF, for good, where the problem turns out to be stiff: where stability
// rather than accuracy has limited the steps for a while, or where a one-step method finds no step at all.
//
// It must not know surfaces, modes or Filippov.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "integrate/dop853_stepper.hpp"
#include "integrate/dopri5_stepper.hpp"
#include "integrate/stepper.hpp"

namespace slideway {

class AutomaticStepper final : public Stepper {
 public:
  AutomaticStepper(SmoothOde& ode, const StepperOptions& options);

  bool start(double t, ConstVectorRef x, double end, double first_step) override;
  StepReport step() override;
  void evaluate(double t, VectorRef x) override { current_->evaluate(t, x); }
  Interpolant interpolant() override { return current_->interpolant(); }
  Interpolant interpolant_of(std::span<const int> states) override {
    return current_->interpolant_of(states);
  }
  Interpolant interpolant_shape() override { return current_->interpolant_shape(); }
  void copy_coefficients(double* to) override { current_->copy_coefficients(to); }
  StepChords chords_of(std::span<const int> states) override { return current_->chords_of(states); }
  FunctionChord chord_of(std::span<const int> states, const double* weights) override {
    return current_->chord_of(states, weights);
  }
  void error_weights(ConstVectorRef x, VectorRef weights) const override {
    current_->error_weights(x, weights);
  }
  double last_step_size() const override { return current_->last_step_size(); }
  double usual_step() const override { return current_->usual_step(); }
  bool stages_span_step() const override { return current_->stages_span_step(); }
  const StepFailure& failure() const override { return current_->failure(); }
  bool has_another_method() const override { return has_failed_on_the_way_; }
  int method_at_work() const override;
  void work_with(int method) override;
  StepperStatistics statistics() const override;
  std::int64_t steps() const override;

 private:
  // Each goes on from where the one-step method stands; false, and nothing is changed, if the other one cannot.
  bool change_to_dop853();
  bool change_to_bdf();

  SmoothOde& ode_;
  StepperOptions options_;
  bool is_tight_;  // and dop853 is to be had
  Dopri5Stepper dopri5_;
  std::optional<Dop853Stepper> dop853_;  // none while it has not been asked for
  std::unique_ptr<Stepper> bdf_;         // none while the problem has not been stiff
  OneStepStepper* one_step_;
  Stepper* current_;
  int steps_since_start_ = 0;
  std::int64_t changes_ = 0;            // of method without a start of the caller's
  bool has_failed_on_the_way_ = false;  // the last step of the one-step method
  double end_time_ = 0;
  double stiff_from_;
  Vector state_;
};

}  // namespace slideway
