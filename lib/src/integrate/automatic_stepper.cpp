#include "integrate/automatic_stepper.hpp"

#include <limits>
#include <utility>

namespace slideway {

namespace {

// Looser than this dop853 takes hardly fewer evaluations.
constexpr double kTightTolerance = 1e-7;
// Two steps of dop853 take fewer evaluations than this many steps of dopri5.
constexpr int kManySteps = 8;
// The largest step of dop853 in steps of dopri5, for the same error.
constexpr double kStepRatio = 4;

// The numbers of the methods, but for dopri5, which is 0.
constexpr int kWorksWithDop853 = 1;
constexpr int kWorksWithBdf = 2;

}  // namespace

AutomaticStepper::AutomaticStepper(SmoothOde& ode, const StepperOptions& options)
    : ode_(ode),
      options_(options),
      is_tight_(options.rtol <= kTightTolerance),
      dopri5_(ode, options),
      one_step_(&dopri5_),
      current_(&dopri5_),
      stiff_from_(std::numeric_limits<double>::quiet_NaN()),
      state_(Vector::Zero(ode.states())) {
  dopri5_.watch_stiffness();
}

bool AutomaticStepper::start(double t, ConstVectorRef x, double end, double first_step) {
  end_time_ = end;
  if (current_ == one_step_ && one_step_ != &dopri5_ && steps_since_start_ == 1) {
    current_ = one_step_ = &dopri5_;
    first_step /= kStepRatio;
  }
  steps_since_start_ = 0;
  has_failed_on_the_way_ = false;
  return current_->start(t, x, end, first_step);
}

StepReport AutomaticStepper::step() {
  if (current_ != one_step_) return current_->step();
  // BDF finds a step, or tells the reason why both methods stop.
  if (std::exchange(has_failed_on_the_way_, false)) {
    if (change_to_bdf()) return current_->step();
    return {StepStatus::failed, one_step_->reached(), one_step_->reached()};
  }
  if (one_step_->is_stiff() && one_step_->is_on_the_way() && change_to_bdf()) return current_->step();
  if (is_tight_ && one_step_ == &dopri5_ && steps_since_start_ >= kManySteps && dopri5_.is_on_the_way())
    is_tight_ = change_to_dop853();
  ++steps_since_start_;
  const bool was_on_the_way = one_step_->is_on_the_way();
  const StepReport report = one_step_->step();
  has_failed_on_the_way_ = report.status == StepStatus::failed && was_on_the_way;
  return report;
}

bool AutomaticStepper::change_to_dop853() {
  if (!dop853_) {
    dop853_.emplace(ode_, options_);
    dop853_->watch_stiffness();
  }
  dopri5_.evaluate(dopri5_.reached(), state_);
  ++changes_;
  if (!dop853_->start(dopri5_.reached(), state_, end_time_, kStepRatio * dopri5_.last_step_size()))
    return false;
  current_ = one_step_ = &*dop853_;
  return true;
}

bool AutomaticStepper::change_to_bdf() {
  const double t = one_step_->reached();
  one_step_->evaluate(t, state_);
  std::unique_ptr<Stepper> bdf = make_cvode_stepper(ode_, MultistepMethod::bdf, options_);
  if (!bdf->start(t, state_, end_time_, 0)) return false;
  ++changes_;
  stiff_from_ = t;
  bdf_ = std::move(bdf);
  current_ = bdf_.get();
  return true;
}

int AutomaticStepper::method_at_work() const {
  if (current_ == bdf_.get()) return kWorksWithBdf;
  return one_step_ == &dopri5_ ? 0 : kWorksWithDop853;
}

void AutomaticStepper::work_with(int method) {
  if (method == kWorksWithBdf) {
    bdf_ = make_cvode_stepper(ode_, MultistepMethod::bdf, options_);
    current_ = bdf_.get();
  } else if (method == kWorksWithDop853) {
    dop853_.emplace(ode_, options_);
    dop853_->watch_stiffness();
    current_ = one_step_ = &*dop853_;
  }
}

std::int64_t AutomaticStepper::steps() const {
  return dopri5_.steps() + (dop853_ ? dop853_->steps() : 0) + (bdf_ ? bdf_->steps() : 0);
}

StepperStatistics AutomaticStepper::statistics() const {
  StepperStatistics sum = dopri5_.statistics();
  const auto add = [&](const StepperStatistics& more) {
    sum.steps += more.steps;
    sum.velocity_evaluations += more.velocity_evaluations;
    sum.jacobian_evaluations += more.jacobian_evaluations;
    sum.krylov_iterations += more.krylov_iterations;
    sum.restarts += more.restarts;
  };
  if (dop853_) {
    add(dop853_->statistics());
    sum.dop853_steps = dop853_->steps();
  }
  if (bdf_) add(bdf_->statistics());
  sum.restarts -= changes_;
  sum.stiff_from = stiff_from_;
  return sum;
}

std::unique_ptr<Stepper> make_automatic_stepper(SmoothOde& ode, const StepperOptions& options) {
  return std::make_unique<AutomaticStepper>(ode, options);
}

}  // namespace slideway
