#include "simulate/run_engine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "simulate/run_shared.hpp"
#include "simulate/trajectory_projection.hpp"
#include "slideway/core/state_errors.hpp"

namespace slideway {

namespace {

// A flight is short that took at most so many steps the last time, and over which the field changes at most so much.
constexpr std::int64_t kFewSteps = 200;
constexpr double kMostChange = 50;
// How many steps a flight may take whose errors are to be far below the tolerances.
constexpr std::int64_t kFineSteps = 5000;
// So often it is asked whether what slides has come to rest, which a step need not see.
constexpr std::int64_t kStepsToRest = 64;
// Where the second half of so many events takes less than this part of the time they get denser.
constexpr std::size_t kMany = 100;
constexpr double kDenser = 0.1;
// After so many steps the run looks back at how far they led: about a second of a small model.
constexpr std::int64_t kStepsToLookBack = 1'000'000;

// Surfaces that do not see each other are resolved group by group; a record lists them in the order of the file.
void list_in_order(EventRecord& record) {
  const std::size_t count = record.surfaces.size();
  if (std::is_sorted(record.surfaces.begin(), record.surfaces.end())) return;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return record.surfaces[a] < record.surfaces[b]; });
  const auto reorder = [&](auto& entries) {
    if (entries.size() != count) return;
    const auto before = entries;
    for (std::size_t k = 0; k < count; ++k) entries[k] = before[order[k]];
  };
  reorder(record.surface_names);
  reorder(record.w_minus);
  reorder(record.w_plus);
  reorder(record.lambda);
  reorder(record.surfaces);
}

}  // namespace

RunEngine::RunEngine(const Automaton& automaton,
                     const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                     const Options& options, const Run& run)
    : automaton_(automaton),
      options_(options),
      run_(run),
      tools_(automaton, structures, options, run.end - run.start),
      t_(run.start),
      last_look_(run.start),
      step_sizes_(run.end - run.start),
      x_(run.state),
      bounces_(static_cast<Index>(automaton.system().contacts().size())),
      sampler_(*this) {
  const System& system = automaton.system();
  atol_ = options.atol.expand(system.states(), options.rtol);
  weights_ = Vector::Ones(system.states());
  state_ = Vector::Zero(system.states());
  largest_ = x_.cwiseAbs();
  solution_.outputs = Matrix::Constant(system.states(), static_cast<Index>(options.output_times.size()),
                                       std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> location_names;
  if (automaton.has_locations()) {
    for (const Location& location : automaton.locations()) location_names.push_back(location.name);
  }
  solution_.trajectory = Trajectory(system.states(), make_projection(automaton, structures, atol_, options));
  const auto is_named = [&](const Location& location) { return location.name == run.location; };
  const std::vector<Location>& locations = automaton.locations();
  const std::optional<JoinedEdges> joined = std::none_of(locations.begin(), locations.end(), is_named)
                                                ? automaton.joined_edges(run.location, t_, x_)
                                                : std::nullopt;
  if (joined) {
    enter_pair(tools_.of_pair(joined->rising, joined->falling));
  } else {
    enter(run.location.empty() ? automaton.initial() : automaton.location_index(run.location));
  }
}

// Switches to the tools of a location; the mode is found afterwards.
void RunEngine::enter(std::size_t location) {
  location_ = location;
  pair_ = nullptr;
  second_order_.clear();
  take_tools(tools_.of_location(location));
  const Index surfaces = here_->system.surfaces();
  if (mode_.size() != surfaces) {
    // Leaving a pair of locations drops the surface between them.
    Mode mode(surfaces);
    for (Index i = 0; i < std::min(surfaces, mode_.size()); ++i) mode.set(i, mode_[i]);
    mode_ = mode;
    lambda_.conservativeResizeLike(Vector::Zero(surfaces));
  }
  size_guard_vectors();
}

void RunEngine::take_tools(LocationTools& tools) {
  if (here_) tools.watch.take_history(here_->watch);
  here_ = &tools;
  affine_ = nullptr;
  here_->watch.disarm();
}

void RunEngine::size_guard_vectors() {
  const Index surfaces = here_->system.surfaces();
  leaving_.resize(surfaces, t_);
  for (Vector* vector : {&guard_values_, &sampled_values_, &nudged_values_, &thresholds_.arm_above,
                         &thresholds_.arrive_below}) {
    *vector = Vector::Zero(here_->ode.guards());
  }
}

std::string RunEngine::surface_name(Index surface) const {
  const Index surfaces = here_->system.surfaces();
  if (surface >= surfaces) return here_->contacts->contact(surface - surfaces).name;
  return here_->system.surface_names()[static_cast<std::size_t>(surface)];
}

std::string RunEngine::names(std::span<const Index> surfaces) const {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(surfaces.size(), most); ++k) {
    text += (k == 0 ? "'" : ", '") + surface_name(surfaces[k]) + "'";
  }
  if (surfaces.size() > most) text += " and " + std::to_string(surfaces.size() - most) + " more";
  return text;
}

void RunEngine::list(Index surface, EventRecord& record) const {
  record.surfaces.push_back(surface);
  record.surface_names.push_back(surface_name(surface));
  for (ShortList<double>* values : {&record.w_minus, &record.w_plus, &record.lambda})
    values->push_back(kNotANumber);
}

Mode RunEngine::as_shown(const Mode& mode) const {
  Mode shown = here_->contacts ? here_->contacts->with_closed(mode) : mode;
  for (const SecondOrder::Bound& one : bound()) shown.set(one.surface, side_with(one, shown));
  return shown;
}

void RunEngine::finish(Status status, std::string message) {
  solution_.outcome = {status, t_, std::move(message)};
}

bool RunEngine::too_many_events() {
  if (static_cast<Index>(solution_.events.size()) < options_.max_events) return false;
  const EventLog& events = solution_.events;
  const double latest_half = events.empty() ? 0 : t_ - events[events.size() / 2].t;
  const bool ever_denser = events.size() >= kMany && latest_half < kDenser * (t_ - events.front().t);
  finish(Status::step_limit,
         "the limit of " + std::to_string(options_.max_events) +
             " events is reached at t = " + number_text(t_) +
             (ever_denser ? "; they come ever faster, half of them in the last " + number_text(latest_half) +
                                ", so more of them lead hardly further"
                          : "") +
             "; raise max_events");
  return true;
}

void RunEngine::report(EventRecord&& record) {
  if (automaton_.has_locations()) {
    if (!record.from_location) record.from_location = here_->name;
    if (!record.to_location) record.to_location = here_->name;
  }
  list_in_order(record);
  if (!options_.full_events) shorten(record);
  solution_.events.push_back(std::move(record));
  if (options_.on_event) {
    named_call([] { return std::string("Options::on_event"); },
               [&] { options_.on_event(solution_.events.back()); });
  }
}

Solution RunEngine::execute() {
  const auto began = std::chrono::steady_clock::now();
  try {
    if (start()) {
      while (begin_mode() && follow_mode() == ModeEnd::event) {
      }
    }
  } catch (const std::exception& error) {
    publish_what_happened();
    finish(Status::user_function_failed,
           std::string(error.what()) + "; the run stops at t = " + number_text(t_));
  } catch (...) {
    publish_what_happened();
    finish(Status::user_function_failed,
           "a user function threw something that is not a std::exception; the run " +
               std::string("stops at t = ") + number_text(t_));
  }
  if (solution_.outcome.status == Status::reached_end) warn_of_shrinking_steps();
  if (solution_.trajectory.empty()) solution_.trajectory.begin_segment(t_, word(), here_->name);
  if (solution_.trajectory.ends_without_state()) solution_.trajectory.add_point(t_, x_);
  // A run that ends with a jump ends in the state after it.
  const std::vector<Segment>& segments = solution_.trajectory.segments();
  if (options_.recording == Recording::dense && pace_.jumped_at(t_) && segments.back().start < t_) {
    solution_.trajectory.begin_segment(t_, word(), here_->name);
    solution_.trajectory.add_point(t_, x_);
  }
  write_outputs(t_, t_);
  solution_.final = {t_, word(), x_, here_->name};
  warn_of_silent_guards();
  Statistics& statistics = solution_.statistics;
  const double largest_drift = statistics.largest_drift;
  const std::int64_t integrator_roots = statistics.integrator_roots;
  statistics = tools_.work();
  statistics.largest_drift = largest_drift;
  statistics.integrator_roots = integrator_roots;
  if (statistics.restarts > 0) --statistics.restarts;
  statistics.events = static_cast<std::int64_t>(solution_.events.size());
  statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return std::move(solution_);
}

// A pole moves by the errors of the solution on the way to it, a part of the time that the way takes.
void RunEngine::warn_of_shrinking_steps() {
  const double resolution = gathered_errors(options_.rtol) * options_.rtol;
  const std::optional<StepSizes::Shrinking> shrinking = step_sizes_.shrink_into(t_, resolution);
  if (!shrinking) return;
  solution_.warnings.push_back("the steps shrank geometrically into the end, t = " + number_text(t_) +
                               ", from " + number_text(shrinking->first) + " at t = " +
                               number_text(shrinking->since) + " to " + number_text(shrinking->last) +
                               ": the solution or one of its derivatives may be infinite here, and the last "
                               "values tell only that they are large; end the run earlier, or with a stop");
}

// A multistep method starts at order one, and over a flight that takes few steps its error control sees little: the bounces
// of a ball would lose their ratio. A one-step method has its full order at once. What it cannot do is a stiff flight:
// two turns of the power method, |J²δ|/|δ| with the errors as δ, tell how fast the field changes.
Stepper* RunEngine::choose_stepper() {
  Stepper* const usual = here_->stepper.get();
  if (pace_.starts_finely()) return &here_->fine_step();
  if (!pace_.starts_anew() || !(pace_.interval() > 0) || pace_.steps() > kFewSteps) return usual;
  ModeOde& ode = here_->ode;
  ode.velocity(t_, x_, state_);
  nudged_state_ = x_;
  add_errors(weights_, nudged_state_);
  noise_weights_.resize(x_.size());
  ode.velocity(t_, nudged_state_, noise_weights_);
  const double once = (noise_weights_ - state_).cwiseProduct(weights_).lpNorm<Eigen::Infinity>();
  if (once == 0) return &here_->one_step();
  nudged_state_ = x_ + (noise_weights_ - state_) / once;
  ode.velocity(t_, nudged_state_, noise_weights_);
  const double again = (noise_weights_ - state_).cwiseProduct(weights_).lpNorm<Eigen::Infinity>();
  return std::sqrt(once * again) * pace_.interval() <= kMostChange ? &here_->one_step() : usual;
}

bool RunEngine::begin_mode() {
  if (!(t_ < run_.end)) {
    if (options_.recording == Recording::dense) {
      solution_.trajectory.begin_segment(t_, word(), here_->name);
      solution_.trajectory.add_point(t_, x_);
    }
    finish(Status::reached_end, "");
    return false;
  }
  // What arrived last may have done so at the limit itself.
  while (next_end() < run_.end && next_end() - t_ <= location_accuracy(t_, 0)) {
    if (!end_held_limit()) return false;
  }
  ModeOde& ode = here_->ode;
  // Those of the arrival do where the state is still the same, but for its place on the surfaces.
  if (pace_.starts_anew() || stepper_ != here_->stepper.get()) here_->stepper->error_weights(x_, weights_);
  here_->evaluator.keep_field_at(t_, x_);
  ode.set_mode(mode_, lambda_, repelling_);
  ode.hold(states_held());
  if (!repelling_ && ode.field().sliding().size() == 1) {
    // Sliding that went on through an event on other surfaces keeps the kind it has.
    const NeighbourFields& fields = ode.field().neighbours(t_, x_, ode.field().sliding().front());
    const double scale = std::abs(fields.w_minus) + std::abs(fields.w_plus);
    if (fields.w_plus - fields.w_minus > 1e-9 * scale) ode.set_mode(mode_, lambda_, true);
  }
  begin_flight();
  const Stepper* const last = stepper_;
  stepper_ = choose_stepper();
  tools_.drop_beyond_limit(here_);
  // What is asked of the last step, its stepper knows.
  leaving_.returned_at_once = leaving_.returned_at_once && stepper_ == last;
  if (ode.has_closed_contacts()) {
    // Put onto surfaces the state need not be where the contacts keep it; the steps are.
    try {
      ode.project(t_, weights_, x_);
    } catch (const std::runtime_error&) {
    }
  }
  ode.exit_guards(t_, x_, guard_values_);
  set_thresholds();
  scanned_.poles.clear();
  leaving_.returned_at_once = false;

  const double duration = run_.end - t_;
  double first = 1e-6 * (run_.end - run_.start);
  if (scanned_.march_step > 0) first = scanned_.march_step / 8;
  start_scans(std::min(first, duration));
  const bool scan_asks_too = !here_->scan.idle() && !dense_output_drifts() &&
                             (!ode.slides() || here_->evaluator.guards_are_affine());
  ode.watch_roots(thresholds_.arrive_below, scan_asks_too);
  if (marches_exits_only()) ode.watch_stages();
  const double first_step = pace_.starts_anew() || stepper_ != last ? 0 : stepper_->usual_step();
  pace_.begin_mode();
  if (!stepper_->start(t_, x_, next_end(), first_step)) {
    const StepFailure& failure = stepper_->failure();
    finish(failure.by_user_function ? Status::user_function_failed : Status::step_failure, failure.message);
    return false;
  }
  if (options_.recording == Recording::dense) solution_.trajectory.begin_segment(t_, word(), here_->name);
  return true;
}

void RunEngine::project_state() {
  ModeOde& ode = here_->ode;
  if (!ode.constrained()) return;
  ode.project(t_, weights_, x_);
  if (ode.slides()) {
    solution_.statistics.largest_drift =
        std::max(solution_.statistics.largest_drift, ode.projection_residual());
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
    } else if (time == t_ || time >= dense_end_) {
      state_ = x_;
    } else {
      stepper_->evaluate(time, state_);
      here_->ode.project(time, weights_, state_);
    }
    solution_.outputs.col(static_cast<Index>(next_output_)) = state_;
    ++next_output_;
  }
}

void RunEngine::append_step(double start, double end) {
  if (options_.recording == Recording::dense) {
    const Interpolant interpolant = stepper_->interpolant();
    if (step_coefficients_.rows() != interpolant.states || step_coefficients_.cols() < interpolant.terms) {
      step_coefficients_.resize(interpolant.states, interpolant.terms);
    }
    for (Index k = 0; k < interpolant.terms; ++k) step_coefficients_.col(k) = interpolant.coefficient(k);
    solution_.trajectory.add_step(start, end, interpolant.center, interpolant.scale,
                                  step_coefficients_.leftCols(interpolant.terms));
  }
  if (options_.on_step) {
    const Mode mode = word();
    const StepView view{start, end, mode, here_->name, [this](double t, VectorRef x) {
                          stepper_->evaluate(t, x);
                          here_->ode.project(t, weights_, x);
                        }};
    named_call([] { return std::string("Options::on_step"); }, [&] { options_.on_step(view); });
  }
}

std::optional<RunEngine::ModeEnd> RunEngine::end_at_rest() {
  here_->stepper->error_weights(x_, weights_);
  if (!comes_to_stay({})) return std::nullopt;
  return too_many_events() ? ModeEnd::finished : ModeEnd::event;
}

// The integrator gets no further. The field may be singular at the very event.
RunEngine::ModeEnd RunEngine::end_where_it_fails() {
  const Arrival& imminent = imminent_arrival();
  if (imminent.found) {
    here_->stepper->error_weights(x_, weights_);
    project_state();
    dense_end_ = t_;
    return handle_arrival(imminent.guards) ? ModeEnd::event : ModeEnd::finished;
  }
  const StepFailure failure = stepper_->failure();
  if (const std::optional<ModeEnd> end = end_at_rest()) return *end;
  if (const std::optional<ModeEnd> end = handle_ending_root()) return *end;
  here_->stepper->error_weights(x_, weights_);
  dense_end_ = t_;
  if (stays_where_no_field()) return ModeEnd::event;
  finish(failure.by_user_function ? Status::user_function_failed : Status::step_failure, failure.message);
  return ModeEnd::finished;
}

// The guards have no values on part of the step, which may have gone past the end of a root: the march has gone up to it. Nothing
// where that is not why.
std::optional<RunEngine::ModeEnd> RunEngine::end_within_step(double step_start, double step_end) {
  const double piece_start = t_;
  t_ = std::clamp(here_->scan.last_time(), t_, step_end);
  stepper_->evaluate(t_, x_);
  if (t_ > piece_start) append_step(piece_start, t_);
  dense_end_ = t_;
  write_outputs(step_start, std::nextafter(t_, step_start));
  const double event_time = t_;
  std::optional<ModeEnd> end = end_at_rest();
  if (!end) end = handle_ending_root();
  if (end) write_outputs(event_time, t_);
  return end;
}

bool RunEngine::too_many_steps() {
  if (pace_.steps_in_run() >= options_.max_steps) {
    finish(Status::step_limit, "the limit of " + std::to_string(options_.max_steps) +
                                   " steps is reached at t = " + number_text(t_) +
                                   "; raise max_steps, loosen the tolerances or use a stiff method");
    return true;
  }
  if (pace_.steps_in_run() == 0 || pace_.steps_in_run() % kStepsToLookBack != 0) return false;
  const double since = std::exchange(last_look_, t_);
  // At a pole that attracts from both sides steps lead to and fro, and nowhere.
  const double ahead = std::min(run_.end - t_, t_ - run_.start) / (t_ - since);
  if (!(ahead * kStepsToLookBack > static_cast<double>(options_.max_steps))) return false;
  finish(Status::step_limit, "the steps have all but stopped at t = " + number_text(t_) + ": the last " +
                                 std::to_string(kStepsToLookBack) + " took " + number_text(t_ - since) +
                                 ", and at this pace the end is out of reach; the solution may end here at a "
                                 "pole, or the problem be stiff: look at the "
                                 "field, try a stiff method, or raise max_steps to go on");
  return true;
}

RunEngine::ModeEnd RunEngine::follow_mode() {
  Stepper& stepper = *stepper_;
  ModeOde& ode = here_->ode;
  while (true) {
    if (too_many_steps()) return ModeEnd::finished;
    ode.forget_samples();
    if (pace_.steps_in_mode() > 0) ode.begin_stages(t_);
    pace_.count_step();
    const StepReport report = stepper.step();
    if (report.status == StepStatus::failed) return end_where_it_fails();
    const double step_start = t_;
    dense_end_ = step_end_ = report.end;
    scanned_.root = report.root;
    try {
      if (!scan_step(report.end)) return ModeEnd::finished;
    } catch (const std::runtime_error&) {
      if (const std::optional<ModeEnd> end = end_within_step(step_start, report.end)) return *end;
      throw;
    }
    const bool arrived = scanned_.arrival != nullptr;
    double piece_start = t_;
    t_ = arrived ? scanned_.arrival->t : report.end;
    stepper.evaluate(t_, x_);
    if (here_->watch.size() > 0) largest_ = largest_.cwiseMax(x_.cwiseAbs());
    // Between events a state is put onto its surfaces when somebody looks at it.
    const bool is_seen =
        arrived || report.status == StepStatus::reached_end ||
        (next_output_ < options_.output_times.size() && options_.output_times[next_output_] <= t_);
    // Those of a fine step are relative: a state that passes zero would not be moved there, and others would be, far.
    if (is_seen || options_.on_step) here_->stepper->error_weights(x_, weights_);
    if (is_seen) project_state();
    if (!limits_.empty()) piece_start = pass_limits(piece_start, arrived);
    if (t_ > piece_start) append_step(piece_start, t_);
    if (!arrived && report.status != StepStatus::reached_end) step_sizes_.note(t_, t_ - step_start);

    if (!arrived && report.status == StepStatus::reached_end && t_ < run_.end) {
      write_outputs(step_start, std::nextafter(t_, step_start));
      const double limit_time = t_;
      dense_end_ = t_;
      pace_.go_on();
      const bool goes_on = end_held_limit();
      write_outputs(limit_time, t_);
      return goes_on ? ModeEnd::event : ModeEnd::finished;
    }
    if (!arrived && report.status == StepStatus::reached_end) {
      std::vector<char> slots;
      const bool ends_with_event = arrives_at_end(report.end, slots);
      if (ends_with_event && integrator_saw(t_, slots)) ++solution_.statistics.integrator_roots;
      write_outputs(step_start, std::nextafter(t_, step_start));
      if (!ends_with_event || handle_arrival(slots)) finish(Status::reached_end, "");
      write_outputs(t_, t_);
      return ModeEnd::finished;
    }
    if (arrived) {
      // At the event itself the outputs hold the state after it.
      write_outputs(step_start, std::nextafter(t_, step_start));
      const double event_time = t_;
      dense_end_ = t_;
      const bool is_root = integrator_saw(t_, scanned_.arrival->guards);
      const std::size_t events = solution_.events.size();
      const bool goes_on = handle_arrival(scanned_.arrival->guards);
      if (is_root && solution_.events.size() > events) ++solution_.statistics.integrator_roots;
      write_outputs(event_time, t_);
      return goes_on ? ModeEnd::event : ModeEnd::finished;
    }
    write_outputs(step_start, t_);
    if (stepper_ != here_->stepper.get() &&
        pace_.steps_in_mode() > (stepper_ == here_->fine_stepper.get() ? kFineSteps : kFewSteps)) {
      // The flight is not that short after all.
      pace_.go_on();
      return ModeEnd::event;
    }
    if (pace_.steps_in_mode() % kStepsToRest == 0) {
      if (const std::optional<ModeEnd> end = end_at_rest()) return *end;
    }
    if (drifts()) {
      here_->stepper->error_weights(x_, weights_);
      ode.stabilise(stepper.damped_rate(), t_, x_, weights_);
    }
  }
}

}  // namespace slideway
