// A Stepper that begins with dopri5 and goes over to BDF, for good, where the problem turns out to be stiff: where stability
// rather than accuracy has limited the steps for a while, or where dopri5 finds no step at all.
//
// It must not know surfaces, modes or Filippov.
#pragma once

#include <memory>

#include "integrate/odeint_stepper.hpp"
#include "slideway/integrate/stepper.hpp"

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
  StepChords chords_of(std::span<const int> states) override { return current_->chords_of(states); }
  void error_weights(ConstVectorRef x, VectorRef weights) const override {
    current_->error_weights(x, weights);
  }
  double last_step_size() const override { return current_->last_step_size(); }
  double usual_step() const override { return current_->usual_step(); }
  bool stages_span_step() const override { return current_->stages_span_step(); }
  const StepFailure& failure() const override { return current_->failure(); }
  StepperStatistics statistics() const override;

 private:
  // Goes on from where dopri5 stands; false, and nothing is changed, if BDF cannot.
  bool change_to_bdf();

  SmoothOde& ode_;
  StepperOptions options_;
  OdeintStepper one_step_;
  std::unique_ptr<Stepper> bdf_;  // none while the problem has not been stiff
  Stepper* current_;
  double end_time_ = 0;
  double stiff_from_;
  Vector state_;
};

}  // namespace slideway
