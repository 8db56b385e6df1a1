#include "integrate/automatic_stepper.hpp"

#include <limits>
#include <utility>

namespace slideway {

AutomaticStepper::AutomaticStepper(SmoothOde& ode, const StepperOptions& options)
    : ode_(ode),
      options_(options),
      one_step_(ode, options),
      current_(&one_step_),
      stiff_from_(std::numeric_limits<double>::quiet_NaN()),
      state_(Vector::Zero(ode.states())) {
  one_step_.watch_stiffness();
}

bool AutomaticStepper::start(double t, ConstVectorRef x, double end, double first_step) {
  end_time_ = end;
  return current_->start(t, x, end, first_step);
}

StepReport AutomaticStepper::step() {
  if (current_ != &one_step_) return current_->step();
  if (one_step_.is_stiff() && one_step_.is_on_the_way() && change_to_bdf()) return current_->step();
  const bool was_on_the_way = one_step_.is_on_the_way();
  const StepReport report = one_step_.step();
  // What stops both is told by BDF.
  if (report.status != StepStatus::failed || !was_on_the_way || !change_to_bdf()) return report;
  return current_->step();
}

bool AutomaticStepper::change_to_bdf() {
  const double t = one_step_.reached();
  one_step_.evaluate(t, state_);
  std::unique_ptr<Stepper> bdf = make_cvode_stepper(ode_, MultistepMethod::bdf, options_);
  if (!bdf->start(t, state_, end_time_, 0)) return false;
  stiff_from_ = t;
  bdf_ = std::move(bdf);
  current_ = bdf_.get();
  return true;
}

StepperStatistics AutomaticStepper::statistics() const {
  StepperStatistics sum = one_step_.statistics();
  sum.stiff_from = stiff_from_;
  if (!bdf_) return sum;
  const StepperStatistics more = bdf_->statistics();
  sum.steps += more.steps;
  sum.velocity_evaluations += more.velocity_evaluations;
  sum.jacobian_evaluations += more.jacobian_evaluations;
  sum.krylov_iterations += more.krylov_iterations;
  sum.restarts += more.restarts - 1;  // the change itself is none
  return sum;
}

std::unique_ptr<Stepper> make_automatic_stepper(SmoothOde& ode, const StepperOptions& options) {
  return std::make_unique<AutomaticStepper>(ode, options);
}

}  // namespace slideway
