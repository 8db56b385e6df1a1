#include "simulate/run_engine.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>

#include "simulate/method_stepper.hpp"

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
// the trajectory, hence the lock; made when first asked for.
Trajectory::Projection make_projection(const System& system, std::shared_ptr<const RelayStructure> structure,
                                       const Vector& atol, double rtol) {
  struct Tools {
    Tools(const System& system, const RelayStructure& structure)
        : evaluator(system), geometry(evaluator, structure) {}
    Evaluator evaluator;
    SurfaceGeometry geometry;
    Vector weights;
    std::vector<Index> sliding;
  };
  struct Workspace {
    std::mutex mutex;
    std::optional<Tools> tools;
  };
  return [workspace = std::make_shared<Workspace>(), system, structure = std::move(structure), atol, rtol](
             double t, const Mode& mode, VectorRef x) {
    const std::lock_guard<std::mutex> lock(workspace->mutex);
    if (!workspace->tools) workspace->tools.emplace(system, *structure);
    Tools& tools = *workspace->tools;
    tools.weights = (rtol * x.cwiseAbs() + atol).cwiseInverse();
    tools.sliding.clear();
    for (Index i = 0; i < mode.size(); ++i) {
      if (mode.slides_on(i)) tools.sliding.push_back(i);
    }
    tools.geometry.project(t, tools.sliding, tools.weights, x);
  };
}

}  // namespace

RunEngine::RunEngine(const System& system, std::shared_ptr<const RelayStructure> structure, const Options& options,
                     const Run& run)
    : system_(system),
      options_(options),
      run_(run),
      evaluator_(system),
      structure_(std::move(structure)),
      ode_(evaluator_, *structure_),
      resolver_(evaluator_, *structure_, options.on_ambiguity, options.rtol),
      geometry_(evaluator_, *structure_),
      scan_(2 * system.surfaces(), options.max_step),
      sampler_(*this),
      t_(run.start),
      x_(run.state),
      mode_(system.surfaces()),
      lambda_(Vector::Zero(system.surfaces())) {
  StepperOptions stepping;
  stepping.rtol = options.rtol;
  stepping.atol = options.atol.expand(system.states(), options.rtol);
  evaluator_.set_typical_sizes(stepping.atol / options.rtol);
  stepping.max_step = std::isfinite(options.max_step) ? options.max_step : 0;
  can_project_ = keeps_constraints(options.method);
  stepper_ = make_stepper(ode_, options.method, stepping);
  ode_.set_armed(&scan_.armed());

  const Index slots = ode_.guards();
  weights_ = Vector::Ones(system.states());
  state_ = Vector::Zero(system.states());
  for (Vector* vector : {&guard_values_, &noise_, &nudged_values_, &arm_above_, &arrive_below_}) {
    *vector = Vector::Zero(slots);
  }
  solution_.trajectory = Trajectory(system.states(), make_projection(system, structure_, stepping.atol, options.rtol));
  solution_.outputs = Matrix::Constant(system.states(), static_cast<Index>(options.output_times.size()),
                                       std::numeric_limits<double>::quiet_NaN());
}

std::string RunEngine::surface_name(Index surface) const {
  return system_.surface_names()[static_cast<std::size_t>(surface)];
}

std::string RunEngine::names(const std::vector<Index>& surfaces) const {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(surfaces.size(), most); ++k) {
    text += (k == 0 ? "'" : ", '") + surface_name(surfaces[k]) + "'";
  }
  if (surfaces.size() > most) text += " and " + std::to_string(surfaces.size() - most) + " more";
  return text;
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
  if (met.empty()) return true;
  Meeting meeting{.at_start = true};
  for (const Index i : met) meeting.met.push_back({.surface = i});
  const bool goes_on = resolve(meeting);
  solution_.initial.mode = mode_;
  return goes_on;
}

// Guards of the surfaces of the last event start at zero: they arm once they are clearly on their side.
void RunEngine::set_thresholds() {
  arm_above_.setZero();
  arrive_below_.setZero();
  // The second slot of a surface that does not slide holds nothing to watch.
  for (Index i = 0; i < mode_.size(); ++i) {
    if (mode_.slides_on(i)) continue;
    arm_above_[ModeOde::first_slot(i) + 1] = std::numeric_limits<double>::infinity();
    arrive_below_[ModeOde::first_slot(i) + 1] = std::numeric_limits<double>::infinity();
  }
  if (involved_.empty()) return;
  bool any_slides = false;
  for (const Index i : involved_) any_slides = any_slides || mode_.slides_on(i);
  if (any_slides) {
    state_ = x_ + weights_.cwiseInverse();
    ode_.exit_guards(t_, state_, nudged_values_);
  }
  for (const Index i : involved_) {
    const Index slot = ModeOde::first_slot(i);
    if (mode_.slides_on(i)) {
      const double scale = std::abs(guard_values_[slot]) + std::abs(guard_values_[slot + 1]);
      arm_above_.segment(slot, 2).setConstant(16 * kEpsilon * scale);
      arrive_below_.segment(slot, 2) =
          arm_above_.segment(slot, 2) +
          kWrongWayFactor * (nudged_values_.segment(slot, 2) - guard_values_.segment(slot, 2)).cwiseAbs();
    } else {
      const double rounding = geometry_.rounding(t_, x_, i);
      arm_above_[slot] = kArmFactor * rounding;
      arrive_below_[slot] = kArmFactor * rounding + kWrongWayFactor * geometry_.tolerance(t_, x_, i, weights_);
    }
  }
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
  stepper_->error_weights(x_, weights_);
  ode_.set_mode(mode_, lambda_, repelling_);
  if (!repelling_ && ode_.field().sliding().size() == 1) {
    // Sliding that went on through an event on other surfaces keeps the kind it has.
    const NeighbourFields& fields = ode_.field().neighbours(t_, x_, ode_.field().sliding().front());
    const double scale = std::abs(fields.w_minus) + std::abs(fields.w_plus);
    if (fields.w_plus - fields.w_minus > 1e-9 * scale) ode_.set_mode(mode_, lambda_, true);
  }
  ode_.exit_guards(t_, x_, guard_values_);
  set_thresholds();

  // Only then: the scan's flags of armed guards are what the integrator's root-finding sees.
  const double duration = run_.end - t_;
  double first = 1e-6 * (run_.end - run_.start);
  if (carried_march_step_ > 0) first = carried_march_step_ / 8;
  scan_.start(t_, guard_values_, arm_above_, arrive_below_, std::min(first, duration));
  ode_.forget_samples();
  ode_.remember(t_, guard_values_);
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
  engine_.ode_.sample(t, engine_.state_, engine_.nudged_values_);
  engine_.state_ += engine_.weights_.cwiseInverse();
  engine_.ode_.exit_guards(t, engine_.state_, values);
  values = (values - engine_.nudged_values_).cwiseAbs();
}

void RunEngine::project_state() {
  if (!ode_.constrained()) return;
  ode_.project(t_, weights_, x_);
  solution_.statistics.largest_drift = std::max(solution_.statistics.largest_drift, ode_.projection_residual());
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
    // Between events a state is put onto its surfaces when somebody looks at it.
    const bool is_seen = arrival.found || report.status == StepStatus::reached_end ||
                         (next_output_ < options_.output_times.size() && options_.output_times[next_output_] <= t_);
    if (is_seen) project_state();
    if (t_ > step_start) append_step(step_start, t_);
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
  Meeting meeting;
  std::vector<Index> on_surface = ode_.field().sliding();
  // An excursion too short to be told from none: the component it started with counts as zero.
  const bool hardly_left = t_ - mode_since_ <= 100 * location_accuracy(t_, stepper_->last_step_size());
  for (Index i = 0; i < system_.surfaces(); ++i) {
    const auto slot = static_cast<std::size_t>(ModeOde::first_slot(i));
    if (!slots[slot] && !slots[slot + 1]) continue;
    Met met{.surface = i};
    if (mode_.slides_on(i)) {
      met.minus_vanishes = slots[slot] != 0;
      met.plus_vanishes = slots[slot + 1] != 0;
    } else {
      on_surface.push_back(i);
      if (hardly_left && std::find(involved_.begin(), involved_.end(), i) != involved_.end()) {
        met.minus_vanishes = mode_[i] == Side::minus;
        met.plus_vanishes = mode_[i] == Side::plus;
      }
    }
    meeting.met.push_back(met);
  }
  if (ode_.constrained()) lambda_ = ode_.field().lambda(t_, x_);
  std::sort(on_surface.begin(), on_surface.end());
  geometry_.project(t_, on_surface, weights_, x_);
  return resolve(meeting);
}

void RunEngine::report(const Resolution& resolution) {
  solution_.events.push_back(resolution.event);
  if (options_.on_event) options_.on_event(solution_.events.back());
}

void RunEngine::finish_ambiguous(const Resolution& resolution) {
  std::string words;
  for (const Mode& mode : resolution.event.continuations) words += (words.empty() ? "" : ", ") + mode.word();
  finish(Status::ambiguous, "the continuation on " + names(resolution.event.surfaces) + " at t = " + number(t_) +
                                " is not unique (" + resolution.event.reason + ")" +
                                (words.empty() ? std::string() : "; modes that continue: " + words) +
                                "; choose one with on_ambiguity: minus, plus or slide");
}

void RunEngine::adopt(const Resolution& resolution) {
  mode_ = resolution.mode;
  lambda_ = resolution.lambda;
  repelling_ = resolution.repelling;
  involved_ = resolution.involved;
  mode_since_ = t_;
  std::vector<Index> sliding;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (mode_.slides_on(i)) sliding.push_back(i);
  }
  if (!sliding.empty()) geometry_.project(t_, sliding, weights_, x_);
}

bool RunEngine::resolve(const Meeting& meeting) {
  const Resolution resolution = resolver_.resolve(t_, x_, mode_, lambda_, meeting, weights_);
  if (resolution.eventful) report(resolution);
  if (!resolution.decided) {
    finish_ambiguous(resolution);
    return false;
  }
  adopt(resolution);
  if (meeting.at_start && !resolution.eventful) return true;
  if (chatters(resolution)) return false;
  if (static_cast<Index>(solution_.events.size()) >= options_.max_events) {
    finish(Status::step_limit, "the limit of " + std::to_string(options_.max_events) +
                                   " events is reached at t = " + number(t_) + "; raise max_events");
    return false;
  }
  if (resolution.eventful && resolution.event.kind == EventKind::crossing) {
    accumulation_.note(t_, resolution.event.surfaces.front());
    const std::optional<Accumulation> accumulation = accumulation_.limit();
    if (accumulation) {
      // Nothing visible is skipped: what is left of the motion is far below the tolerances.
      evaluator_.field(t_, x_, lambda_, state_);
      const double motion = (state_.cwiseProduct(weights_)).lpNorm<Eigen::Infinity>() * accumulation->remaining;
      if (motion <= 1e-3 || accumulation->remaining <= location_accuracy(t_, 0)) {
        return jump_to_accumulation(*accumulation);
      }
    }
  } else if (resolution.eventful) {
    accumulation_.clear();
  }
  return true;
}

bool RunEngine::jump_to_accumulation(const Accumulation& accumulation) {
  accumulation_.clear();
  const Vector before = x_;
  t_ = std::min(t_ + accumulation.remaining, run_.end);
  std::vector<Index> surfaces = accumulation.surfaces;
  Meeting meeting;
  for (const Index i : surfaces) meeting.met.push_back({.surface = i});
  for (Index i = 0; i < mode_.size(); ++i) {
    if (mode_.slides_on(i)) surfaces.push_back(i);
  }
  std::sort(surfaces.begin(), surfaces.end());
  geometry_.project(t_, surfaces, weights_, x_);
  Resolution resolution = resolver_.resolve(t_, x_, mode_, lambda_, meeting, weights_);
  resolution.event.kind = EventKind::zeno;
  resolution.event.before = before;
  resolution.event.reason = "crossings accumulate: each turn takes " + number(accumulation.ratio) +
                            " of the time of the one before; " + resolution.event.reason;
  report(resolution);
  if (!resolution.decided) {
    finish_ambiguous(resolution);
    return false;
  }
  adopt(resolution);
  return true;
}

bool RunEngine::chatters(const Resolution& resolution) {
  const auto surfaces = [&] { return names(resolution.event.surfaces); };
  const auto components = [&] {
    if (resolution.event.w_minus.size() != 1) return std::string();
    return " (w- = " + number(resolution.event.w_minus.front()) + ", w+ = " +
           number(resolution.event.w_plus.front()) + ")";
  };
  if (!resolution.eventful) {
    if (quiet_restarts_ == 0) quiet_since_ = t_;
    ++quiet_restarts_;
    if (quiet_restarts_ <= kQuietRestarts || t_ - quiet_since_ > 1e-6 * (run_.end - run_.start)) return false;
    finish(Status::chattering, "the solution keeps returning to " + surfaces() + " near t = " + number(t_) +
                                   " without leaving it or sliding" + components() +
                                   ": the motion beside it is smaller than the tolerances; tighten rtol and atol");
    return true;
  }
  quiet_restarts_ = 0;
  if (!chattering_.note(t_, run_.end - run_.start)) return false;
  finish(Status::chattering, "events on " + surfaces() + " accumulate: the last " +
                                 std::to_string(ChatteringWatch::kWindow) + " took " + number(chattering_.span()) +
                                 " before t = " + number(t_) +
                                 "; sliding does not take over because w- and w+ do not push onto the surface from " +
                                 "both sides" + components());
  return true;
}

}  // namespace slideway
