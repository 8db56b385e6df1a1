#include "simulate/run_engine.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <sstream>

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A guard arms once it exceeds the rounding of its surface by this factor.
constexpr double kArmFactor = 4;
// Before it is armed it may be negative by this many times what the integrator cannot tell from zero.
constexpr double kWrongWayFactor = 4;
// Restarts without an event, in the same place, before the run gives up.
constexpr Index kQuietRestarts = 50;
// How strongly a state is drawn back onto the surface per step, where the integrator cannot project.
constexpr double kStabilisationPerStep = 0.1;

std::string number(double value) {
  std::ostringstream out;
  out.precision(10);
  out << value;
  return out.str();
}

// Interpolated states slide off the surface by the accuracy of the integrator; this puts them back. Shared by copies of
// the trajectory, hence the lock.
Trajectory::Projection make_projection(const System& system, const Vector& atol, double rtol) {
  struct Workspace {
    explicit Workspace(const System& s) : evaluator(s), geometry(evaluator) {}
    std::mutex mutex;
    Evaluator evaluator;
    SurfaceGeometry geometry;
    Vector weights;
  };
  auto workspace = std::make_shared<Workspace>(system);
  return [workspace, atol, rtol](double t, const Mode& mode, VectorRef x) {
    const std::lock_guard<std::mutex> lock(workspace->mutex);
    workspace->weights = (rtol * x.cwiseAbs() + atol).cwiseInverse();
    for (Index i = 0; i < mode.size(); ++i) {
      if (mode.slides_on(i)) workspace->geometry.project(t, i, workspace->weights, x);
    }
  };
}

}  // namespace

RunEngine::RunEngine(const System& system, const Options& options, const Run& run)
    : system_(system),
      options_(options),
      run_(run),
      evaluator_(system),
      ode_(evaluator_),
      resolver_(evaluator_, options.on_ambiguity, options.rtol),
      geometry_(evaluator_),
      scan_(2 * system.surfaces(), options.max_step),
      sampler_(*this),
      t_(run.start),
      x_(run.state),
      mode_(system.surfaces()) {
  StepperOptions stepping;
  stepping.rtol = options.rtol;
  stepping.atol = options.atol.expand(system.states(), options.rtol);
  stepping.max_step = std::isfinite(options.max_step) ? options.max_step : 0;
  const bool adams = options.method == Method::adams;
  can_project_ = !adams;
  stepper_ = make_cvode_stepper(ode_, adams ? MultistepMethod::adams : MultistepMethod::bdf, stepping);
  ode_.set_armed(&scan_.armed());

  const Index slots = ode_.guards();
  weights_ = Vector::Ones(system.states());
  state_ = Vector::Zero(system.states());
  for (Vector* vector : {&guard_values_, &noise_, &nudged_values_, &arm_above_, &arrive_below_}) {
    *vector = Vector::Zero(slots);
  }
  solution_.trajectory = Trajectory(system.states(), make_projection(system, stepping.atol, options.rtol));
  solution_.outputs = Matrix::Constant(system.states(), static_cast<Index>(options.output_times.size()),
                                       std::numeric_limits<double>::quiet_NaN());
}

std::string RunEngine::surface_name(Index surface) const {
  return system_.surface_names()[static_cast<std::size_t>(surface)];
}

void RunEngine::finish(Status status, std::string message) {
  solution_.outcome = {status, t_, std::move(message)};
}

Solution RunEngine::execute() {
  const auto began = std::chrono::steady_clock::now();
  try {
    if (find_initial_mode()) {
      while (begin_mode() && follow_mode() == ModeEnd::event) {
      }
    }
  } catch (const std::exception& error) {
    finish(Status::user_function_failed, std::string(error.what()) + "; the run stops at t = " + number(t_));
  } catch (...) {
    finish(Status::user_function_failed,
           "a user function threw something that is not a std::exception; the run stops at t = " + number(t_));
  }
  if (solution_.trajectory.empty()) {
    solution_.trajectory.begin_segment(t_, mode_);
    solution_.trajectory.add_point(t_, x_);
  }
  write_outputs(t_, t_);
  solution_.final = {t_, mode_, x_};
  const StepperStatistics stepping = stepper_->statistics();
  const EvaluationCounts counts = evaluator_.counts();
  Statistics& statistics = solution_.statistics;
  statistics.steps = stepping.steps;
  statistics.integrator_evaluations = stepping.velocity_evaluations;
  statistics.jacobian_evaluations = stepping.jacobian_evaluations;
  statistics.restarts = stepping.restarts > 0 ? stepping.restarts - 1 : 0;
  statistics.field_evaluations = counts.field;
  statistics.guard_evaluations = counts.guards;
  statistics.events = static_cast<std::int64_t>(solution_.events.size());
  statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return std::move(solution_);
}

bool RunEngine::find_initial_mode() {
  stepper_->error_weights(x_, weights_);
  solution_.initial = {t_, mode_, x_};
  std::vector<Index> met;
  Vector h(system_.surfaces());
  evaluator_.guards(t_, x_, h);
  for (Index i = 0; i < system_.surfaces(); ++i) {
    if (!std::isfinite(h[i])) {
      finish(Status::user_function_failed, "the guard of surface '" + surface_name(i) + "' is not finite (" +
                                               number(h[i]) + ") at the start, t = " + number(t_));
      return false;
    }
    mode_.set(i, h[i] < 0 ? Side::minus : Side::plus);
    // The size of a guard takes its gradient, so a guard that is plainly off zero is not asked for it.
    if (h[i] == 0 || std::abs(h[i]) <= 1e-10 * (1 + x_.lpNorm<Eigen::Infinity>())) {
      if (std::abs(h[i]) <= geometry_.rounding(t_, x_, i)) met.push_back(i);
    }
  }
  solution_.initial.mode = mode_;
  if (met.size() > 1) {
    std::string names;
    for (const Index i : met) names += (names.empty() ? "'" : ", '") + surface_name(i) + "'";
    finish(Status::ambiguous, "the run starts on several surfaces at once (" + names +
                                  "): slideway does not resolve that yet; start beside all but one of them");
    return false;
  }
  if (!met.empty() && !resolve_surface({.surface = met.front(), .at_start = true})) {
    solution_.initial.mode = mode_;
    return false;
  }
  solution_.initial.mode = mode_;
  return true;
}

bool RunEngine::begin_mode() {
  if (!(t_ < run_.end)) {
    if (options_.recording == Recording::dense) {
      solution_.trajectory.begin_segment(t_, mode_);
      solution_.trajectory.add_point(t_, x_);
    }
    finish(Status::reached_end, "");
    return false;
  }
  ode_.set_mode(mode_, sigma_minus_, sigma_plus_);
  stepper_->error_weights(x_, weights_);

  ode_.exit_guards(t_, x_, guard_values_);
  arm_above_.setZero();
  arrive_below_.setZero();
  if (involved_ >= 0) {
    const Index slot = ModeOde::first_slot(involved_);
    if (mode_.slides_on(involved_)) {
      const double scale = std::abs(guard_values_[slot]) + std::abs(guard_values_[slot + 1]);
      arm_above_.segment(slot, 2).setConstant(16 * kEpsilon * scale);
      state_ = x_ + weights_.cwiseInverse();
      ode_.exit_guards(t_, state_, nudged_values_);
      arrive_below_.segment(slot, 2) =
          arm_above_.segment(slot, 2) +
          kWrongWayFactor * (nudged_values_.segment(slot, 2) - guard_values_.segment(slot, 2)).cwiseAbs();
    } else {
      const double rounding = geometry_.rounding(t_, x_, involved_);
      arm_above_[slot] = kArmFactor * rounding;
      arrive_below_[slot] =
          kArmFactor * rounding + kWrongWayFactor * geometry_.tolerance(t_, x_, involved_, weights_);
    }
  }

  // Only then: the scan's flags of armed guards are what the integrator's root-finding sees.
  const double duration = run_.end - t_;
  double first = 1e-6 * (run_.end - run_.start);
  if (carried_march_step_ > 0) first = carried_march_step_ / 8;
  scan_.start(t_, guard_values_, arm_above_, arrive_below_, std::min(first, duration));
  ode_.forget_samples();
  if (!stepper_->start(t_, x_, run_.end, 0)) {
    const StepFailure& failure = stepper_->failure();
    finish(failure.by_user_function ? Status::user_function_failed : Status::step_failure, failure.message);
    return false;
  }
  if (options_.recording == Recording::dense) solution_.trajectory.begin_segment(t_, mode_);
  return true;
}

void RunEngine::DenseGuards::sample(double t, VectorRef values) {
  if (engine_.ode_.recall(t, values)) return;
  engine_.stepper_->evaluate(t, engine_.state_);
  engine_.ode_.sample(t, engine_.state_, values);
}

void RunEngine::DenseGuards::noise(double t, VectorRef values) {
  engine_.stepper_->evaluate(t, engine_.state_);
  engine_.stepper_->error_weights(engine_.state_, engine_.weights_);
  engine_.ode_.exit_guards(t, engine_.state_, engine_.nudged_values_);
  engine_.state_ += engine_.weights_.cwiseInverse();
  engine_.ode_.exit_guards(t, engine_.state_, values);
  values = (values - engine_.nudged_values_).cwiseAbs();
}

void RunEngine::note_drift() {
  if (!ode_.constrained()) return;
  state_ = x_;
  if (geometry_.project(t_, ode_.field().sliding_surface(), weights_, state_)) {
    solution_.statistics.largest_drift = std::max(solution_.statistics.largest_drift, geometry_.residual());
  }
}

void RunEngine::write_outputs(double start, double end) {
  while (next_output_ < options_.output_times.size()) {
    const double time = options_.output_times[next_output_];
    if (time > end) break;
    if (time < start) {
      ++next_output_;
      continue;
    }
    if (time == run_.start) {
      state_ = run_.state;
    } else if (time == t_) {
      state_ = x_;
    } else {
      stepper_->evaluate(time, state_);
      if (ode_.constrained()) ode_.project(time, weights_, state_);
    }
    solution_.outputs.col(static_cast<Index>(next_output_)) = state_;
    ++next_output_;
  }
}

void RunEngine::append_step(double start, double end) {
  if (options_.recording == Recording::dense) {
    const Interpolant interpolant = stepper_->interpolant();
    solution_.trajectory.add_step(start, end, interpolant.center, interpolant.scale, interpolant.coefficients);
  }
  if (options_.on_step) {
    const StepView view{start, end, mode_, [this](double t, VectorRef x) {
                          stepper_->evaluate(t, x);
                          if (ode_.constrained()) ode_.project(t, weights_, x);
                        }};
    options_.on_step(view);
  }
}

RunEngine::ModeEnd RunEngine::follow_mode() {
  static const std::vector<char> none;
  while (true) {
    if (stepper_->statistics().steps >= options_.max_steps) {
      finish(Status::step_limit, "the limit of " + std::to_string(options_.max_steps) +
                                     " steps is reached at t = " + number(t_) +
                                     "; raise max_steps, loosen the tolerances or use a stiff method");
      return ModeEnd::finished;
    }
    ode_.forget_samples();
    const StepReport report = stepper_->step();
    if (report.status == StepStatus::failed) {
      const StepFailure& failure = stepper_->failure();
      finish(failure.by_user_function ? Status::user_function_failed : Status::step_failure, failure.message);
      return ModeEnd::finished;
    }
    const bool located = report.status == StepStatus::arrived;
    const Arrival& arrival = scan_.advance(report.end, sampler_, located ? stepper_->arrivals() : none);
    const double step_start = t_;
    const double step_end = arrival.found ? arrival.t : report.end;
    stepper_->evaluate(step_end, x_);
    t_ = step_end;
    stepper_->error_weights(x_, weights_);
    if (ode_.constrained()) ode_.project(t_, weights_, x_);
    if (t_ > step_start) append_step(step_start, t_);
    note_drift();
    carried_march_step_ = scan_.march_step();

    if (arrival.found) {
      const bool goes_on = handle_arrival(arrival.guards);
      write_outputs(step_start, t_);
      return goes_on ? ModeEnd::event : ModeEnd::finished;
    }
    if (report.status == StepStatus::reached_end) {
      std::vector<char> slots;
      const bool goes_on = !arrives_at_end(report.end, slots) || handle_arrival(slots);
      write_outputs(step_start, t_);
      if (goes_on) finish(Status::reached_end, "");
      return ModeEnd::finished;
    }
    write_outputs(step_start, t_);
    if (!can_project_ && ode_.constrained()) {
      ode_.field().stabilise(kStabilisationPerStep / stepper_->last_step_size(), weights_);
    }
  }
}

// An event at the end time belongs to the run, whichever side of the end rounding and the tolerances put it.
bool RunEngine::arrives_at_end(double end, std::vector<char>& slots) {
  const Index count = ode_.guards();
  if (count == 0) return false;
  const double back = 1e-3 * stepper_->last_step_size();
  const double before = std::max(end - back, end - 0.5 * (end - run_.start));
  Vector values = scan_.last_values();
  Vector earlier(count);
  sampler_.sample(before, earlier);
  sampler_.noise(end, noise_);
  stepper_->error_weights(x_, weights_);
  slots.assign(static_cast<std::size_t>(count), 0);
  bool any = false;
  for (Index slot = 0; slot < count; ++slot) {
    if (!scan_.armed()[static_cast<std::size_t>(slot)]) continue;
    const double rate = (values[slot] - earlier[slot]) / (end - before);
    if (rate < 0 && values[slot] <= noise_[slot] - rate * location_accuracy(end, end - before)) {
      slots[static_cast<std::size_t>(slot)] = 1;
      any = true;
    }
  }
  return any;
}

bool RunEngine::handle_arrival(const std::vector<char>& slots) {
  std::vector<Index> surfaces;
  for (Index slot = 0; slot < ode_.guards(); ++slot) {
    if (!slots[static_cast<std::size_t>(slot)]) continue;
    const Index surface = ModeOde::surface_of(slot);
    if (surfaces.empty() || surfaces.back() != surface) surfaces.push_back(surface);
  }
  const Index sliding = ode_.field().sliding_surface();
  if (sliding >= 0 && (surfaces.size() > 1 || surfaces.front() != sliding)) {
    if (std::find(surfaces.begin(), surfaces.end(), sliding) == surfaces.end()) surfaces.push_back(sliding);
  }
  if (surfaces.size() > 1) {
    std::string names;
    for (const Index i : surfaces) names += (names.empty() ? "'" : ", '") + surface_name(i) + "'";
    finish(Status::ambiguous, "several surfaces are met at once (" + names + ") at t = " + number(t_) +
                                  ": slideway does not resolve that yet");
    return false;
  }

  const Index surface = surfaces.front();
  const Index slot = ModeOde::first_slot(surface);
  Meeting meeting{.surface = surface};
  if (sliding == surface) {
    meeting.minus_vanishes = slots[static_cast<std::size_t>(slot)] != 0;
    meeting.plus_vanishes = slots[static_cast<std::size_t>(slot) + 1] != 0;
  } else {
    // An excursion too short to be told from none: the component it started with counts as zero.
    const double accuracy = location_accuracy(t_, stepper_->last_step_size());
    if (surface == involved_ && t_ - mode_since_ <= 100 * accuracy) {
      meeting.minus_vanishes = mode_[surface] == Side::minus;
      meeting.plus_vanishes = mode_[surface] == Side::plus;
    }
    geometry_.project(t_, surface, weights_, x_);
  }
  return resolve_surface(meeting);
}

bool RunEngine::resolve_surface(const Meeting& meeting) {
  Resolution resolution = resolver_.resolve(t_, x_, mode_, meeting, weights_);
  const Index surface = meeting.surface;
  if (resolution.eventful) {
    solution_.events.push_back(resolution.event);
    if (options_.on_event) options_.on_event(solution_.events.back());
    quiet_restarts_ = 0;
  }
  if (!resolution.decided) {
    std::string words;
    for (const Mode& mode : resolution.event.continuations) words += (words.empty() ? "" : ", ") + mode.word();
    finish(Status::ambiguous,
           "the continuation on surface '" + surface_name(surface) + "' at t = " + number(t_) +
               " is not unique (" + resolution.event.reason + ")" +
               (words.empty() ? std::string() : "; modes that continue: " + words) +
               "; choose one with on_ambiguity: minus, plus or slide");
    return false;
  }
  mode_ = resolution.mode;
  sigma_minus_ = resolution.sigma_minus;
  sigma_plus_ = resolution.sigma_plus;
  involved_ = surface;
  mode_since_ = t_;
  if (mode_.slides_on(surface)) geometry_.project(t_, surface, weights_, x_);

  const std::string components = "w- = " + number(resolution.event.w_minus.front()) +
                                 ", w+ = " + number(resolution.event.w_plus.front());
  if (!resolution.eventful && !meeting.at_start) {
    if (quiet_restarts_ == 0) quiet_since_ = t_;
    ++quiet_restarts_;
    if (quiet_restarts_ > kQuietRestarts && t_ - quiet_since_ <= 1e-6 * (run_.end - run_.start)) {
      finish(Status::chattering, "the solution keeps returning to surface '" + surface_name(surface) +
                                     "' near t = " + number(t_) + " without leaving it or sliding (" + components +
                                     "): the motion beside it is smaller than the tolerances; tighten rtol and atol");
      return false;
    }
  }
  if (resolution.eventful) {
    if (chattering_.note(t_, run_.end - run_.start)) {
      finish(Status::chattering,
             "events on surface '" + surface_name(surface) + "' accumulate: the last " +
                 std::to_string(ChatteringWatch::kWindow) + " took " + number(chattering_.span()) +
                 " before t = " + number(t_) + "; sliding does not take over because w- and w+ do not push onto " +
                 "the surface from both sides (" + components + ")");
      return false;
    }
    if (static_cast<Index>(solution_.events.size()) >= options_.max_events) {
      finish(Status::step_limit, "the limit of " + std::to_string(options_.max_events) +
                                     " events is reached at t = " + number(t_) + "; raise max_events");
      return false;
    }
  }
  return true;
}

}  // namespace slideway
