// Relays with memory. A relay that has just turned is 2ε away from turning back, so there is no arming to think of.
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include <fmt/format.h>

#include "alternatives/relay_run.hpp"
#include "core/number_text.hpp"
#include "core/state_errors.hpp"
#include "integrate/guard_scan.hpp"
#include "simulate/method_stepper.hpp"
#include "simulate/mode_ode.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// The ode of a mode without sliding, watched by guards of its own: λᵢhᵢ + ε > 0 while a relay stays.
class BandOde final : public SmoothOde {
 public:
  BandOde(Evaluator& evaluator, const RelayStructure& structure, double epsilon)
      : evaluator_(evaluator), ode_(evaluator, structure, {}, nullptr, nullptr), epsilon_(epsilon) {}

  void set_relays(ConstVectorRef relays) {
    relays_ = relays;
    Mode mode(relays.size());
    for (Index i = 0; i < relays.size(); ++i) mode.set(i, relays[i] > 0 ? Side::plus : Side::minus);
    ode_.begin(mode, relays, false);
  }

  Index states() const override { return ode_.states(); }
  Index guards() const { return evaluator_.system().surfaces(); }
  void velocity(double t, ConstVectorRef x, VectorRef dx) override { ode_.velocity(t, x, dx); }
  void jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) override {
    ode_.jacobian(t, x, dx, jacobian);
  }
  const Pattern* jacobian_pattern() override { return ode_.jacobian_pattern(); }
  void split_jacobian(double t, ConstVectorRef x, ConstVectorRef dx, SplitJacobian& jacobian) override {
    ode_.split_jacobian(t, x, dx, jacobian);
  }
  bool has_jacobian_times() const override { return ode_.has_jacobian_times(); }
  void jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction, VectorRef product) override {
    ode_.jacobian_times(t, x, direction, product);
  }
  void guard_values(double t, ConstVectorRef x, VectorRef values) {
    evaluator_.guards(t, x, values);
    values = values.cwiseProduct(relays_).array() + epsilon_;
  }
  void project(double /*t*/, ConstVectorRef /*weights*/, VectorRef /*x*/) override {}

 private:
  Evaluator& evaluator_;
  ModeOde ode_;
  double epsilon_;
  Vector relays_;
};

class BandSampler final : public GuardSampler {
 public:
  BandSampler(BandOde& ode, Stepper& stepper)
      : ode_(ode), stepper_(stepper), x_(ode.states()), weights_(ode.states()) {
    plain_.resize(ode.guards());
  }
  void sample(double t, VectorRef values) override {
    stepper_.evaluate(t, x_);
    ode_.guard_values(t, x_, values);
  }
  void noise(double t, VectorRef values) override {
    sample(t, plain_);
    stepper_.error_weights(x_, weights_);
    add_errors(weights_, x_);
    ode_.guard_values(t, x_, values);
    values = (values - plain_).cwiseAbs();
  }

 private:
  BandOde& ode_;
  Stepper& stepper_;
  Vector x_, weights_, plain_;
};

class HysteresisRun {
 public:
  HysteresisRun(const System& system, const Options& options, const Run& run, double epsilon)
      : system_(system),
        options_(options),
        run_(run),
        structure_(system),
        evaluator_(system),
        ode_(evaluator_, structure_, epsilon),
        t_(run.start),
        x_(run.state),
        relays_(relays_at_start(system, run.start, run.state)),
        result_(system, options, run, relays_) {
    StepperOptions stepping;
    stepping.rtol = options.rtol;
    stepping.atol = options.atol.expand(system.states(), options.rtol);
    stepping.max_step = std::isfinite(options.max_step) ? options.max_step : 0;
    stepping.linear_solver = options.linear_solver;
    evaluator_.set_typical_sizes(stepping.atol / options.rtol);
    ode_.set_relays(relays_);
    stepper_ = make_stepper(ode_, options.method, stepping);
  }

  Solution execute() {
    GuardScan scan(ode_.guards(), options_.max_step);
    BandSampler sampler(ode_, *stepper_);
    double march = 1e-6 * (run_.end - run_.start);
    try {
      bool goes_on = true;
      while (goes_on && t_ < run_.end) goes_on = stretch(scan, sampler, march);
      if (goes_on) result_.finish(Status::reached_end, t_);
    } catch (const std::exception& error) {
      result_.finish(Status::user_function_failed, t_, error.what());
    }
    Solution solution = result_.take(t_, x_, relays_);
    const StepperStatistics stepping = stepper_->statistics();
    solution.statistics.steps = stepping.steps;
    solution.statistics.integrator_evaluations = stepping.velocity_evaluations;
    solution.statistics.jacobian_evaluations = stepping.jacobian_evaluations;
    solution.statistics.restarts = std::max<std::int64_t>(stepping.restarts - 1, 0);
    solution.statistics.field_evaluations = evaluator_.counts().field;
    solution.statistics.guard_evaluations = evaluator_.counts().guards;
    return solution;
  }

 private:
  // stretch() goes from one turn to the next, or to the end. It returns false when the run is over.
  bool stretch(GuardScan& scan, BandSampler& sampler, double& march) {
    ode_.set_relays(relays_);
    Vector values(ode_.guards());
    ode_.guard_values(t_, x_, values);
    // A start beyond the band has turned already.
    for (Index i = 0; i < values.size(); ++i) {
      if (values[i] <= 0) return turn(i);
    }
    const Vector at_once = Vector::Zero(values.size());
    scan.start(t_, values, at_once, at_once, std::min(march, run_.end - t_));
    if (!stepper_->start(t_, x_, run_.end, 0)) return failed();
    while (true) {
      if (stepper_->steps() >= options_.max_steps) {
        result_.finish(
            Status::step_limit, t_,
            fmt::format("the limit of {} steps is reached at t = {}", options_.max_steps, number_text(t_)));
        return false;
      }
      const StepReport report = stepper_->step();
      if (report.status == StepStatus::failed && stepper_->has_another_method()) continue;
      if (report.status == StepStatus::failed) return failed();
      const Arrival& arrival = scan.advance(report.end, sampler);
      t_ = arrival.found ? arrival.t : report.end;
      result_.write_outputs(t_, [this](double t, VectorRef x) { stepper_->evaluate(t, x); });
      stepper_->evaluate(t_, x_);
      march = scan.march_step();
      if (arrival.found) {
        march /= 8;
        for (Index i = 0; i < values.size(); ++i) {
          if (arrival.guards[static_cast<std::size_t>(i)] && !turn(i)) return false;
        }
        return true;
      }
      if (report.status == StepStatus::reached_end) return true;
    }
  }

  bool turn(Index surface) {
    relays_[surface] = -relays_[surface];
    return result_.turn(t_, x_, surface, relays_);
  }

  bool failed() {
    const StepFailure& failure = stepper_->failure();
    result_.finish(failure.by_user_function ? Status::user_function_failed : Status::step_failure, t_,
                   failure.message);
    return false;
  }

  const System& system_;
  const Options& options_;
  const Run& run_;
  RelayStructure structure_;
  Evaluator evaluator_;
  BandOde ode_;
  double t_;
  Vector x_;
  Vector relays_;
  RelayRun result_;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace

Solution run_with_hysteresis(const System& system, const Options& options, const Run& run, double epsilon) {
  check_relay_run(system, options, run, "run_with_hysteresis");
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    refuse({.what = "the width of a hysteresis band makes no sense",
            .where = "run_with_hysteresis, epsilon",
            .expected = "a number above 0",
            .got = fmt::format("{}", epsilon)});
  }
  return HysteresisRun(system, options, run, epsilon).execute();
}

}  // namespace slideway
