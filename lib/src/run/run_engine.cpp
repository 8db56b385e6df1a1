#include "run/run_engine.hpp"

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
#include "log/trajectory_projection.hpp"
#include "run/warnings.hpp"
#include "simulate/caller_stop.hpp"
#include "simulate/precision.hpp"

namespace slideway {

RunEngine::RunEngine(const Automaton& automaton,
                     const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                     const Options& options, const Run& run)
    : now_(automaton, structures, options, run),
      log_(now_, structures),
      locator_(now_),
      manager_(now_, locator_, log_),
      stepper_choice_(now_),
      last_look_(run.start),
      step_sizes_(run.end - run.start),
      step_ends_(run.start, run.end, automaton.system().states() - automaton.system().discrete()),
      accuracy_(now_),
      core_(now_, locator_, log_, step_sizes_) {
  manager_.locations().enter_first_location();
}

Solution RunEngine::execute() {
  const auto began = std::chrono::steady_clock::now();
  follow();
  Solution solution = ended();
  solution.statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return solution;
}

std::optional<Solution> RunEngine::execute_until_pause(std::int64_t steps) {
  pause_at_ = now_.restart.steps_in_run() + steps;
  if (follow()) return std::nullopt;
  return ended();
}

// Limits that are pending have records of their own, and last for a time that nobody sees. A return at once asks the stepper for the
// step before it.
bool RunEngine::may_pause() const {
  return now_.restart.steps_in_run() >= pause_at_ && now_.agenda.limits.empty() &&
         now_.restart.first_step() == 0 && !now_.here->guards.returned_at_once();
}

void RunEngine::go_to(const Place& place) { manager_.locations().go_to(place); }

void RunEngine::go_on() { has_begun_ = true; }

bool RunEngine::is_at_pause() const {
  return !(now_.t < until_) || (until_event_ && log_.solution().events.size() > events_before_);
}

bool RunEngine::stops() {
  const bool is_cancelled = is_cancelled_ && is_cancelled_->load(std::memory_order_relaxed);
  if (!is_cancelled && !log_.stop_asked()) return false;
  log_.finish(Status::stopped_by_caller, is_cancelled ? kCancelled : kStoppedByCallback);
  return true;
}

bool RunEngine::begins() {
  has_begun_ = has_begun_ || manager_.start();
  return has_begun_;
}

bool RunEngine::follow() {
  bool pauses = false;
  guarded([&] {
    if (!begins()) return;
    while (!pauses) {
      if (!is_in_mode_) {
        if (stops() || !finish_instant()) return;
        pauses = is_at_pause();
        if (pauses || !begin_mode()) return;
        is_in_mode_ = true;
      }
      const std::optional<ModeEnd> end = follow_mode();
      pauses = !end;
      if (pauses) return;
      leave_mode();
      if (*end == ModeEnd::finished) return;
      if (!may_pause()) continue;
      usual_step_ = now_.restart.has_usual_step() ? now_.stepper->usual_step() : 0;
      pauses = true;
    }
  });
  return pauses;
}

void RunEngine::leave_mode() {
  is_in_mode_ = false;
  step_ = {};
}

// An exception ends the run, with what happened before.
template <class Function>
void RunEngine::guarded(const Function& function) {
  // The caller may have changed what its functions read, such as an input of a guard, since it was here last.
  if (now_.here) now_.here->watch.forget_slopes();
  std::string what;
  try {
    return function();
  } catch (const std::exception& error) {
    what = std::string(error.what()) + "; the run";
  } catch (...) {
    what = "a user function threw something that is not a std::exception; the run";
  }
  leave_mode();
  manager_.records().publish_what_happened();
  log_.finish(Status::user_function_failed, what + " stops at t = " + number_text(now_.t));
}

bool RunEngine::follow_to(double t, bool to_event) {
  until_ = t;
  until_event_ = to_event;
  events_before_ = log_.solution().events.size();
  log_.forget_stop();
  return follow();
}

void RunEngine::evaluate(double t, Vector& x) {
  x = now_.x;
  if (step_.is_taken && t > now_.t) now_.stepper->evaluate(t, x);
  if (!is_in_mode_ || !now_.here->ode.constrained()) return;
  Vector weights(x.size());
  now_.here->stepper->error_weights(x, weights);
  try {
    now_.here->ode.project(t, weights, x);
  } catch (const std::runtime_error&) {
    // Beyond the end of sliding, which the step has not come to, there need not be a state on the surfaces.
  }
}

Solution RunEngine::so_far(double t) {
  Solution solution = log_.solution();
  Vector x;
  evaluate(t, x);
  if (is_in_mode_ && t > now_.t && now_.options.recording == Recording::dense)
    log_.record_step(now_.t, t, solution.trajectory);
  complete(t, x, solution);
  return solution;
}

void RunEngine::forget_record(double t) {
  Vector x;
  evaluate(t, x);
  log_.begin_record(t, x);
  if (is_in_mode_ && now_.options.recording == Recording::dense)
    log_.solution().trajectory.begin_segment(t, now_.word(), now_.here->name);
}

// A guard that the scan has seen clearly on its side only after t is not armed there.
void RunEngine::end_step(double t) {
  if (!is_in_mode_) return;
  const bool is_within = step_.is_taken && t > now_.t;
  // Guards have been seen beyond t.
  const bool is_seen_further = step_.is_taken && step_.is_located && step_.next > t;
  const double piece_start = now_.t;
  if (is_within) {
    now_.t = t;
    now_.stepper->evaluate(t, now_.x);
    if (now_.here->watch.size() > 0) now_.errors.see(now_.x);
  }
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.project_state();
  learn_what_is_armed();
  if (is_seen_further) locator_.forget_what_arms_after(now_.t);
  if (is_within) {
    const double from = now_.agenda.limits.empty() ? piece_start : manager_.limits().pass(piece_start, false);
    if (now_.t > from) log_.append_step(from, now_.t);
    log_.write_outputs(step_.start, std::nextafter(now_.t, step_.start));
    now_.step.dense_end = now_.step.end = now_.t;
  }
  now_.restart.go_on();
  usual_step_ = now_.stepper->usual_step();
  leave_mode();
}

bool RunEngine::take_state(const Vector& x) {
  bool goes_on = false;
  guarded([&] {
    if (!begins()) return;
    goes_on = manager_.take_state(x);
  });
  return goes_on;
}

std::vector<FiredGuard> RunEngine::fired_guards(double t) {
  if (!has_begun_ || t != now_.t || outcome().status == Status::user_function_failed) return {};
  return manager_.fired_guards();
}

Solution RunEngine::ended() {
  const Status status = log_.solution().outcome.status;
  if (status == Status::reached_end && end_warnings_ != EndWarnings::none)
    append_shrinking_steps(now_, step_sizes_, log_.solution().warnings);
  Solution solution = std::move(log_.solution());
  complete(now_.t, now_.x, solution);
  if (end_warnings_ == EndWarnings::all) {
    append_silent_guards(now_, status, solution.warnings);
    append_below_tolerance(now_, solution.trajectory, solution.warnings);
    append_steep_switches(now_, step_ends_, solution.statistics.stiff_from, solution.warnings);
  }
  return solution;
}

void RunEngine::complete(double t, const Vector& x, Solution& solution) {
  Trajectory& trajectory = solution.trajectory;
  if (trajectory.empty()) trajectory.begin_segment(t, now_.word(), now_.here->name);
  if (trajectory.ends_without_state()) trajectory.add_point(t, x);
  // A run that ends with a jump ends in the state after it.
  if (now_.options.recording == Recording::dense && now_.restart.jumped_at(t) &&
      trajectory.segments().back().start < t) {
    trajectory.begin_segment(t, now_.word(), now_.here->name);
    trajectory.add_point(t, x);
  }
  log_.complete_outputs(t, x, solution.outputs);
  solution.pending = now_.agenda.schedule.pending(t);
  solution.fired = fired_guards(t);
  solution.final = {t, now_.word(), x, now_.here->name};
  Statistics& statistics = solution.statistics;
  const std::int64_t integrator_roots = statistics.integrator_roots;
  statistics = now_.tools.work();
  statistics.largest_drift = now_.errors.largest_drift();
  statistics.integrator_roots = integrator_roots;
  if (statistics.restarts > 0) --statistics.restarts;
  statistics.events = static_cast<std::int64_t>(solution.events.size());
}

// The last arrival may have been at a known time itself, and a stop leaves what else is due then.
bool RunEngine::finish_instant() {
  const auto is_due = [this] {
    const double next = now_.agenda.next_end(now_.run.end);
    return now_.agenda.schedule.next() <= now_.t ||
           (next < now_.run.end && next - now_.t <= location_accuracy(now_.t, 0));
  };
  while (is_due()) {
    if (!manager_.reach_known_time()) return false;
  }
  return true;
}

bool RunEngine::begin_mode() {
  if (!(now_.t < now_.run.end)) {
    if (now_.options.recording == Recording::dense) {
      log_.solution().trajectory.begin_segment(now_.t, now_.word(), now_.here->name);
      log_.solution().trajectory.add_point(now_.t, now_.x);
    }
    log_.finish(Status::reached_end, "");
    return false;
  }
  ModeOde& ode = now_.here->ode;
  // The weights of the arrival serve where the state is still the same, but for its place on the surfaces.
  if (now_.restart.starts_anew() || now_.stepper != now_.here->stepper.get())
    now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.here->evaluator.keep_field_at(now_.t, now_.x);
  ode.begin(now_.regime);
  ode.hold(now_.agenda.states_held());
  if (!now_.regime.repelling && ode.field().sliding().size() == 1) {
    // Sliding that went on through an event on other surfaces keeps the kind it has.
    const NeighbourFields& fields = ode.field().neighbours(now_.t, now_.x, ode.field().sliding().front());
    const double scale = std::abs(fields.w_minus) + std::abs(fields.w_plus);
    if (fields.w_plus - fields.w_minus > kNoEffect * scale) {
      now_.regime.repelling = true;
      ode.begin(now_.regime);
    }
  }
  manager_.dips().begin_flight();
  const Stepper* const last = now_.stepper;
  now_.stepper = stepper_choice_.choose();
  now_.tools.drop_beyond_limit(now_.here);
  if (ode.has_closed_contacts()) {
    // Put onto surfaces the state need not be where the contacts keep it; the steps are.
    try {
      ode.project(now_.t, now_.weights, now_.x);
    } catch (const std::runtime_error&) {
    }
  }
  // The stepper answers questions about the last step only if that step was its own.
  const bool is_careful = now_.restart.steps_carefully();
  locator_.begin_mode(now_.stepper == last, now_.restart.first_step() > 0 && !is_careful);
  const bool goes_on_from_pause = !last && now_.stepper == now_.here->stepper.get();
  const double retaken = now_.restart.first_step();
  const double first_step = retaken > 0                      ? retaken
                            : !now_.restart.has_usual_step() ? 0
                            : goes_on_from_pause             ? usual_step_
                            : now_.stepper != last           ? 0
                                                             : now_.stepper->usual_step();
  now_.restart.begin_mode();
  if (!now_.stepper->start(now_.t, now_.x, now_.agenda.next_end(now_.run.end), first_step)) {
    const StepFailure& failure = now_.stepper->failure();
    log_.finish(failure.by_user_function ? Status::user_function_failed : Status::step_failure,
                failure.message);
    return false;
  }
  if (now_.options.recording == Recording::dense && retaken == 0)
    log_.solution().trajectory.begin_segment(now_.t, now_.word(), now_.here->name);
  core_.begin_mode();
  return true;
}

std::optional<ModeEnd> RunEngine::end_at_rest() {
  now_.here->stepper->error_weights(now_.x, now_.weights);
  if (!manager_.comes_to_stay({})) return std::nullopt;
  return log_.too_many_events() ? ModeEnd::finished : ModeEnd::event;
}

// The integrator gets no further. The field may be singular at the very event.
ModeEnd RunEngine::end_where_it_fails() {
  const Arrival& imminent = locator_.imminent_arrival();
  if (imminent.found) {
    now_.here->stepper->error_weights(now_.x, now_.weights);
    now_.project_state();
    now_.step.dense_end = now_.t;
    return manager_.handle_arrival(imminent.guards) ? ModeEnd::event : ModeEnd::finished;
  }
  if (now_.stepper == now_.here->careful_stepper.get()) return end_where_no_careful_step();
  failure_ = now_.stepper->failure();
  if (const std::optional<ModeEnd> end = end_at_rest()) return *end;
  if (const std::optional<ModeEnd> end = manager_.handle_ending_root()) return *end;
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.step.dense_end = now_.t;
  if (manager_.stays_where_no_field()) return ModeEnd::event;
  return step_carefully() ? ModeEnd::event : end_by_failure();
}

// A careful step is tried once where the method of the run has no first step because a user function has no value beside the state. A
// motion that comes to such a state on its way has come to its end, and a preconditioner that fails says nothing of the field. The step
// is short, since its two velocities would not see what changes between them.
bool RunEngine::step_carefully() {
  const bool is_first = now_.restart.steps_in_mode() <= 1;
  if (!failure_.by_user_function || !is_first || no_careful_step_at_ == now_.t) return false;
  if (now_.here->ode.has_preconditioner()) return false;
  now_.restart.step_carefully(kShortestTime * (now_.run.end - now_.run.start));
  return true;
}

ModeEnd RunEngine::end_where_no_careful_step() {
  no_careful_step_at_ = now_.t;
  return now_.here->stepper->has_another_method() ? ModeEnd::event : end_by_failure();
}

ModeEnd RunEngine::end_by_failure() {
  log_.finish(failure_.by_user_function ? Status::user_function_failed : Status::step_failure,
              failure_.message);
  return ModeEnd::finished;
}

// end_within_step() handles guards without values on part of the step, which may have gone past the end of a root.
// The march has gone up to that end. It returns nothing where this is not the reason.
std::optional<ModeEnd> RunEngine::end_within_step(double step_start, double step_end) {
  const double piece_start = now_.t;
  now_.t = std::clamp(now_.here->scan.last_time(), now_.t, step_end);
  now_.stepper->evaluate(now_.t, now_.x);
  if (now_.t > piece_start) log_.append_step(piece_start, now_.t);
  now_.step.dense_end = now_.t;
  log_.write_outputs(step_start, std::nextafter(now_.t, step_start));
  const double event_time = now_.t;
  std::optional<ModeEnd> end = end_at_rest();
  if (!end) end = manager_.handle_ending_root();
  if (end) log_.write_outputs(event_time, now_.t);
  return end;
}

bool RunEngine::too_many_steps() {
  if (now_.restart.steps_in_run() >= now_.options.max_steps) {
    log_.finish(Status::step_limit, "the limit of " + std::to_string(now_.options.max_steps) +
                                        " steps is reached at t = " + number_text(now_.t) +
                                        "; raise max_steps, loosen the tolerances or use a stiff method");
    return true;
  }
  if (now_.restart.steps_in_run() == 0 || now_.restart.steps_in_run() % kStepsToLookBack != 0) return false;
  const double since = std::exchange(last_look_, now_.t);
  // Steps lead to and fro, and nowhere, at a pole that attracts from both sides.
  const double ahead = std::min(now_.run.end - now_.t, now_.t - now_.run.start) / (now_.t - since);
  if (!(ahead * kStepsToLookBack > static_cast<double>(now_.options.max_steps))) return false;
  log_.finish(Status::step_limit,
              "the steps have all but stopped at t = " + number_text(now_.t) + ": the last " +
                  std::to_string(kStepsToLookBack) + " took " + number_text(now_.t - since) +
                  ", and at this pace the end is out of reach; the solution may end here at a "
                  "pole, or the problem be stiff: look at the "
                  "field, try a stiff method, or raise max_steps to go on");
  return true;
}

// Events that the integrator's root-finding saw first are counted. Returns false when the run is over.
bool RunEngine::arrive(const std::vector<char>& guards) {
  const bool is_root = locator_.integrator_saw(now_.t, guards);
  const std::size_t events = log_.solution().events.size();
  const std::optional<bool> clear =
      core_.is_at_work() ? manager_.handle_clear_arrival(guards) : std::optional<bool>();
  const bool goes_on = clear ? *clear : manager_.handle_arrival(guards);
  if (is_root && log_.solution().events.size() > events) ++log_.solution().statistics.integrator_roots;
  return goes_on;
}

// The stepper was to go no further: to a known time, or to the end of the run. Guards may reach zero there as well.
// Returns false when the run is over.
bool RunEngine::arrive_at_end(double t) {
  const bool is_last = !(now_.t < now_.run.end);
  if (!is_last) now_.restart.go_on();
  const bool is_due = now_.agenda.schedule.is_due(now_.t);
  if (!is_last && !is_due) return manager_.end_held_limit();
  std::vector<char> guards(static_cast<std::size_t>(now_.here->ode.guards()), 0);
  const bool any_arrives = locator_.arrives_at_end(t, guards);
  const bool goes_on = (!is_due && !any_arrives) || arrive(guards);
  if (is_last && goes_on) log_.finish(Status::reached_end, "");
  return goes_on && !is_last;
}

std::optional<ModeEnd> RunEngine::follow_mode() {
  while (true) {
    if (!step_.is_taken) {
      if (stops()) return end_mode_here();
      if (is_at_pause()) return std::nullopt;
      if (const std::optional<ModeEnd> end = take_step()) return *end;
      if (!step_.is_taken) continue;
    }
    try {
      if (!step_.is_located && !locate_next()) {
        log_.write_outputs(step_.start, std::nextafter(now_.t, step_.start));
        return ModeEnd::event;
      }
    } catch (const std::runtime_error&) {
      // A guard ends where the field does.
      step_.ended = std::current_exception();
      step_.is_record = false;
      step_.next = std::clamp(now_.here->scan.last_time(), now_.t, step_.report.end);
    }
    if (shows_limit()) pass_limit();
    if (is_at_pause() || step_.next > until_) return std::nullopt;
    if (step_.is_record) {
      try {
        if (!pass_records()) return ModeEnd::finished;
      } catch (const std::runtime_error&) {
        step_.ended = std::current_exception();
      }
    }
    if (step_.ended) {
      if (now_.stepper == now_.here->careful_stepper.get() && now_.t == step_.start)
        return end_where_no_careful_step();
      if (const std::optional<ModeEnd> end = end_within_step(step_.start, step_.report.end)) return *end;
      std::rethrow_exception(step_.ended);
    }
    if (step_.is_record) {
      if (stops()) return end_mode_here();
      if (is_at_pause()) return std::nullopt;
      continue;
    }
    if (const std::optional<ModeEnd> end = reach_next()) return *end;
    step_ = {};
  }
}

// The caller may have the run go on from here.
ModeEnd RunEngine::end_mode_here() {
  end_step(now_.t);
  return ModeEnd::finished;
}

std::optional<ModeEnd> RunEngine::take_step() {
  Stepper& stepper = *now_.stepper;
  ModeOde& ode = now_.here->ode;
  if (too_many_steps()) return ModeEnd::finished;
  ode.forget_samples();
  if (now_.here->contacts)
    now_.here->contacts->follow_slip(now_.t, now_.x, now_.regime.lambda(), now_.regime.contacts);
  if (now_.restart.steps_in_mode() > 0) ode.begin_stages(now_.t);
  now_.restart.count_step();
  const StepReport report = stepper.step();
  if (report.status == StepStatus::failed) {
    // Steps fail, too, where a guard vanishes between two times that the clock holds: that is an event, whatever the method.
    if (!stepper.has_another_method() || locator_.imminent_arrival().found) return end_where_it_fails();
    failure_ = stepper.failure();
    if (step_carefully()) return ModeEnd::event;
    return std::nullopt;
  }
  now_.step.dense_end = now_.step.end = report.end;
  locator_.scanned().root = report.root;
  const double start = now_.t;
  if (core_.makes(report, may_pause() ? now_.t : until_)) return std::nullopt;
  step_.is_taken = true;
  step_.report = report;
  step_.start = start;
  step_.scan_end = report.end;
  return std::nullopt;
}

// Marches the guards along the step. The arrival of the locator is the first one that changes something, null when there is none.
bool RunEngine::locate_next() {
  step_.is_record = false;
  step_.is_located = true;
  step_.next = step_.report.end;
  // A record was at the end of the step.
  if (!(now_.t < step_.scan_end)) return true;
  const bool may_be_retaken = accuracy_.can_fail() && now_.restart.retakes(now_.t) < kMostRetakes;
  const bool may_stop_within = until_ < step_.scan_end || (until_event_ && !now_.agenda.limits.empty());
  if (may_be_retaken || may_stop_within) locator_.note_armed();
  const Arrival& first = locator_.locate(step_.scan_end);
  if (first.found && may_be_retaken && !accuracy_.holds_before(first.t)) {
    now_.restart.retake(now_.t, 0.5 * (first.t - now_.t));
    now_.here->stepper->error_weights(now_.x, now_.weights);
    // A mode begins on its surfaces, also between events: a guard that they hold at zero is not armed by drift.
    now_.project_state();
    return false;
  }
  locator_.scanned().poles.clear();
  const Arrival& arrival = first.found && first.steep ? manager_.poles().without_poles(first) : first;
  locator_.scanned().arrival = arrival.found ? &arrival : nullptr;
  if (!arrival.found) return true;
  step_.next = arrival.t;
  if (now_.here->watch.size() == 0) return true;
  step_.is_record =
      manager_.arrived().gather(arrival.guards).only_records() && !manager_.poles().passes_surface();
  return true;
}

// Records change nothing, so the step is good to its end.
bool RunEngine::pass_records() {
  const Arrival& arrival = *locator_.scanned().arrival;
  const Arrivals& arrivals = manager_.arrived().arrivals();
  double before = now_.t;
  now_.t = arrival.t;
  now_.stepper->evaluate(now_.t, now_.x);
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.project_state();
  if (!now_.agenda.limits.empty()) before = manager_.limits().pass(before, true);
  manager_.arrived().take_sides();
  manager_.arrived().cross(arrivals.records);
  manager_.poles().pass_events();
  for (const Index e : arrivals.records) {
    now_.here->guards.set_fired_at_zero(e, true);
    log_.report(manager_.records().note(e, EventKind::record));
  }
  if (locator_.integrator_saw(now_.t, arrival.guards)) ++log_.solution().statistics.integrator_roots;
  if (now_.t > before) log_.append_step(before, now_.t);
  if (log_.too_many_events()) return false;
  locator_.scanned().arrival = nullptr;
  if (!(now_.t < step_.scan_end)) step_.scan_end = now_.t;
  locator_.go_on_after_record();
  step_.is_located = false;
  return true;
}

// The time of the first limit that holds no states: it is reached within a step.
double RunEngine::limit_on_the_way() const {
  double first = std::numeric_limits<double>::infinity();
  for (const AccumulationLimit& limit : now_.agenda.limits)
    if (!limit.is_held()) first = std::min(first, limit.t);
  return first;
}

// A limit in the midst of a step is handed out by itself only where the caller is to see the run stop there, or before the end of the step.
bool RunEngine::shows_limit() const {
  if (now_.agenda.limits.empty() || !(until_event_ || until_ < step_.next)) return false;
  const double limit = limit_on_the_way();
  return limit < step_.next && limit <= until_;
}

// The step is good beyond the limit, which changes nothing.
void RunEngine::pass_limit() {
  const double before = now_.t;
  now_.t = std::max(before, limit_on_the_way());
  now_.stepper->evaluate(now_.t, now_.x);
  now_.here->stepper->error_weights(now_.x, now_.weights);
  now_.project_state();
  const double shown = manager_.limits().pass(before, false);
  if (now_.t > shown) log_.append_step(shown, now_.t);
  if (now_.options.recording == Recording::dense)
    log_.solution().trajectory.begin_segment(now_.t, now_.word(), now_.here->name);
}

std::optional<ModeEnd> RunEngine::reach_next() {
  Stepper& stepper = *now_.stepper;
  const StepReport& report = step_.report;
  const bool arrived = locator_.scanned().arrival != nullptr;
  double piece_start = now_.t;
  now_.t = arrived ? locator_.scanned().arrival->t : report.end;
  stepper.evaluate(now_.t, now_.x);
  if (now_.here->watch.size() > 0) now_.errors.see(now_.x);
  step_ends_.note(now_.t, now_.x, now_.regime.lambda(), now_.here->name);
  // A state between events is put onto its surfaces only when somebody looks at it. The steps of a method
  // that was chosen for a short flight are few.
  const bool pauses = !arrived && report.status != StepStatus::reached_end && may_pause() &&
                      now_.stepper == now_.here->stepper.get();
  const bool is_seen =
      arrived || pauses || report.status == StepStatus::reached_end || log_.wants_output_by(now_.t);
  // The weights of a fine step are relative: with them a state near zero would not be moved, and others would be, far.
  if (is_seen || now_.options.on_step) now_.here->stepper->error_weights(now_.x, now_.weights);
  if (is_seen) now_.project_state();
  if (!now_.agenda.limits.empty()) piece_start = manager_.limits().pass(piece_start, arrived);
  if (now_.t > piece_start) log_.append_step(piece_start, now_.t);
  if (!arrived && report.status != StepStatus::reached_end) step_sizes_.note(now_.t, now_.t - step_.start);

  if (arrived || report.status == StepStatus::reached_end) {
    // The outputs at the event itself hold the state after it.
    log_.write_outputs(step_.start, std::nextafter(now_.t, step_.start));
    const double event_time = now_.t;
    now_.step.dense_end = now_.t;
    const bool goes_on = arrived ? arrive(locator_.scanned().arrival->guards) : arrive_at_end(report.end);
    log_.write_outputs(event_time, now_.t);
    return goes_on ? ModeEnd::event : ModeEnd::finished;
  }
  log_.write_outputs(step_.start, now_.t);
  if (pauses) {
    // The watch of the events learns which of them are armed.
    learn_what_is_armed();
    now_.restart.go_on();
    return ModeEnd::event;
  }
  return reach_end_of_step();
}

std::optional<ModeEnd> RunEngine::reach_end_of_step() {
  const bool was_careful = now_.stepper == now_.here->careful_stepper.get();
  if (was_careful || (now_.stepper != now_.here->stepper.get() &&
                      now_.restart.steps_in_mode() >
                          (now_.stepper == now_.here->fine_stepper.get() ? kFineSteps : kFewSteps))) {
    // The flight is not that short after all, or the border of the field is behind.
    now_.restart.go_on();
    return ModeEnd::event;
  }
  if (now_.restart.steps_in_mode() % kStepsToRest == 0) {
    if (const std::optional<ModeEnd> end = end_at_rest()) return *end;
  }
  if (now_.drifts()) {
    now_.here->stepper->error_weights(now_.x, now_.weights);
    now_.here->ode.stabilise(now_.stepper->damped_rate(), now_.t, now_.x, now_.weights);
  }
  return std::nullopt;
}

void RunEngine::learn_what_is_armed() {
  manager_.arrived().gather(std::vector<char>(static_cast<std::size_t>(now_.here->ode.guards()), 0));
}

}  // namespace slideway
