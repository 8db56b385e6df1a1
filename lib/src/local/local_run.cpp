#include "local/local_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "local/factors.hpp"
#include "simulate/event_watch.hpp"
#include "slideway/model/system_rows.hpp"

namespace slideway {

namespace {

std::string why_not_by_options(const Options& options) {
  if (options.recording != Recording::nothing) return "the trajectory is recorded";
  if (options.on_step) return "somebody observes the steps";
  if (!options.sensitivities.empty()) return "sensitivities are asked for";
  if (options.full_events) return "events are to keep whole states";
  if (options.on_ambiguity != Ambiguity::stop) return "a policy follows continuations that are not unique";
  if (options.sliding_rule != SlidingRule::filippov) return "the sliding rule is not Filippov's";
  if (options.selection != Selection::consistent) return "the selection is not that of consistent modes";
  const bool is_explicit = options.method == Method::automatic || options.method == Method::dopri5 ||
                           options.method == Method::dop853;
  if (!is_explicit) return std::string("the method is ") + to_string(options.method);
  return "";
}

bool choose_rows(const System& system) {
  const SystemDefinition& definition = system.definition();
  return definition.rows ||
         (definition.field_affine && definition.field_along &&
          (definition.surfaces == 0 || (definition.guards_affine && definition.guards_along)));
}

// Sliding of second order is looked for where relays have no effect on their own surfaces.
std::string why_not_by_relays(const System& system) {
  const SystemDefinition& definition = system.definition();
  if (definition.break_away) return "static friction is above the kinetic level";
  if (!definition.second_order || definition.surfaces == 0) return "";
  if (!definition.relays_additive || !definition.guards_affine)
    return "sliding of second order may be possible";
  const RelayStructure structure(system);
  for (Index i = 0; i < definition.surfaces; ++i) {
    if (!structure.normal_dlambda().has(i, i)) return "sliding of second order may be possible";
  }
  return "";
}

}  // namespace

bool wants_local(const Automaton& automaton, const Options& options) {
  if (options.local_events == LocalEvents::off) return false;
  if (options.local_events == LocalEvents::on) return true;
  const System& system = automaton.system();
  return system.surfaces() >= kFewestLocal ||
         static_cast<Index>(system.events().size()) >= kFewestLocalEvents;
}

std::string why_not_local(const Automaton& automaton, const Options& options, const Run& run) {
  if (automaton.has_locations() || !automaton.edges().empty()) return "the problem has locations";
  if (!run.pending.empty()) return "delayed actions are on their way";
  if (!(run.end > run.start)) return "the run has no duration";
  if (std::string why = why_not_by_options(options); !why.empty()) return why;
  const System& system = automaton.system();
  if (system.states() == system.discrete()) return "all states are discrete";
  if (!choose_rows(system)) return "the field is not affine and has no rows (SystemDefinition::rows)";
  if (std::string why = Coupling::why_none(system); !why.empty()) return why;
  return why_not_by_relays(system);
}

LocalRun::LocalRun(const Automaton& automaton,
                   const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                   const Options& options, const Run& run, FollowAll follow_all)
    : automaton_(automaton),
      structures_(structures),
      options_(options),
      run_(run),
      follow_all_(std::move(follow_all)),
      system_(automaton.system()),
      coupling_(system_),
      tools_(std::make_unique<LocationTools>(system_, structures.front(), options, EventWatch(system_), "")),
      scan_(tools_->ode),
      clusters_(coupling_),
      parts_(system_, choose_rows_of(system_), options, follow_all_),
      is_polynomial_(system_.definition().field_affine && system_.definition().guards_affine),
      now_{run.start, run.state, Vector::Zero(system_.surfaces()), Mode()},
      x_end_(run.state),
      weights_(Vector::Ones(system_.states())) {
  tools_->set_duration(run.end - run.start);
  if (!is_polynomial_) pace_.last = kFirstSampled * (run.end - run.start);
  // Functions of the user's are called in this thread alone.
  const bool calls_user = system_.definition().rows || !system_.events().empty();
  const unsigned int threads =
      calls_user ? 1 : std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  for (unsigned int k = 0; k < threads; ++k) {
    arguments_.push_back(std::make_shared<WholeArguments>(system_));
    // Rows may read more than they depend on.
    arguments_.back()->x = run.state;
  }
}

Solution LocalRun::execute() {
  const auto began = std::chrono::steady_clock::now();
  try {
    if (begin()) {
      while (now_.t < run_.end && take_step()) {
      }
    }
  } catch (const std::exception& error) {
    solution_.outcome = {Status::user_function_failed, now_.t,
                         std::string(error.what()) + "; the run stops at t = " + number_text(now_.t)};
  }
  Solution solution = ended();
  solution.statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return solution;
}

// ---- the start, and what is followed all at once -------------------------------------------------------

Options LocalRun::options_of_part() const {
  Options options = options_;
  options.local_events = LocalEvents::off;
  options.on_event = {};
  options.output_times.clear();
  return options;
}

bool LocalRun::begin() {
  solution_.outputs = Matrix::Constant(now_.x.size(), static_cast<Index>(options_.output_times.size()),
                                       std::numeric_limits<double>::quiet_NaN());
  Run at_start = run_;
  at_start.end = run_.start;
  const Solution start = follow_all_(automaton_, structures_, options_of_part(), at_start);
  solution_.initial = start.initial;
  write_outputs(now_.t, now_.t, {});
  adopt(start, now_.t);
  return start.outcome.reached_end();
}

void LocalRun::adopt(const Solution& part, double end) {
  for (EventRecord record : part.events) {
    if (record.surfaces.size() > 0 && !record.listed_only) {
      for (std::optional<Mode>* mode : {&record.from, &record.to}) {
        if (*mode) *mode = Mode(listed_word(record, **mode));
      }
      for (std::vector<Mode>* modes : {&record.continuations, &record.in_convex_hull}) {
        for (Mode& mode : *modes) mode = Mode(listed_word(record, mode));
      }
      record.listed_only = true;
    }
    record.before.resize(0);
    record.after.resize(0);
    report(std::move(record));
  }
  add_work(part.statistics);
  solution_.statistics.integrator_roots += part.statistics.integrator_roots;
  solution_.statistics.largest_drift =
      std::max(solution_.statistics.largest_drift, part.statistics.largest_drift);
  now_.mode = part.final.mode;
  now_.x = part.final.state;
  now_.t = part.outcome.reached_end() ? end : part.outcome.t;
  now_.mode.fill_lambda(now_.lambda);
  pace_.is_stepping = false;
  solution_.outcome = part.outcome;
}

bool LocalRun::follow_whole(double end) {
  Options options = options_of_part();
  options.max_events = std::max<Index>(1, options_.max_events - static_cast<Index>(solution_.events.size()));
  options.max_steps = std::max<Index>(1, options_.max_steps - work_.steps);
  options.output_times = outputs_within(now_.t, end);
  const Run run{.start = now_.t, .end = end, .state = now_.x, .mode = now_.mode};
  const Solution part = follow_all_(automaton_, structures_, options, run);
  for (Index k = 0; k < part.outputs.cols(); ++k) {
    if (part.outputs.col(k).allFinite())
      solution_.outputs.col(static_cast<Index>(next_output_) + k) = part.outputs.col(k);
  }
  next_output_ += static_cast<std::size_t>(part.outputs.cols());
  for (const std::string& warning : part.warnings) solution_.warnings.push_back(warning);
  adopt(part, end);
  return part.outcome.reached_end();
}

// ---- a step ---------------------------------------------------------------------------------------------

double LocalRun::step_to_try() const {
  double step = stepper_->usual_step();
  if (pace_.last > 0) step = step > 0 ? std::min(step, kMostGrowth * pace_.last) : pace_.last;
  if (pace_.longest > 0) step = step > 0 ? std::min(step, pace_.longest) : pace_.longest;
  return step;
}

bool LocalRun::restart_stepper(double first_step) {
  ModeOde& ode = tools_->ode;
  if (!stepper_) {
    // The norm of errors is a mean over all states, and what happens at one place must not be lost among many where nothing does.
    const double part = std::min(1.0, std::sqrt(kStatesOfOnePlace / static_cast<double>(now_.x.size())));
    const double rtol = std::max(part * options_.rtol, std::min(options_.rtol, kFinestStep));
    tools_->stepping.atol *= rtol / options_.rtol;
    tools_->stepping.rtol = rtol;
    stepper_ = tools_->stepper_by(options_.method);
  }
  ode.set_mode(now_.mode, now_.lambda, false);
  pace_.is_stepping = stepper_->start(now_.t, now_.x, run_.end, first_step);
  return pace_.is_stepping;
}

bool LocalRun::take_step() {
  if (!pace_.is_stepping && !restart_stepper(stepper_ ? step_to_try() : 0)) return follow_whole(run_.end);
  if (work_.steps >= options_.max_steps) {
    solution_.outcome = {Status::step_limit, now_.t,
                         "the limit of " + std::to_string(options_.max_steps) +
                             " steps is reached at t = " + number_text(now_.t) + "; raise max_steps"};
    return false;
  }
  double end = now_.t;
  for (int halvings = 0;; ++halvings) {
    tools_->ode.forget_samples();
    const StepReport report = stepper_->step();
    if (report.status == StepStatus::failed) {
      pace_.is_stepping = false;
      // The ordinary engine knows what to do, or says what is wrong.
      return follow_whole(std::min(run_.end, pace_.last > 0 ? now_.t + pace_.last : run_.end));
    }
    // A stiff problem is one for the ordinary engine, whose method goes over to BDF.
    if (!std::isnan(stepper_->statistics().stiff_from)) {
      pace_.is_stepping = false;
      return follow_whole(run_.end);
    }
    end = report.end;
    const bool is_too_long =
        !is_polynomial_ && pace_.last > 0 && end - now_.t > kGrowthOfSampled * pace_.last * (1 + 1e-9);
    if (is_too_long) {
      if (!restart_stepper(kGrowthOfSampled * pace_.last)) return follow_whole(run_.end);
      continue;
    }
    const Attempt attempt = follow_clusters(now_.t, end);
    if (attempt == Attempt::accepted) break;
    if (attempt == Attempt::failed || halvings >= kMostHalvingsOfStep) {
      if (++pace_.whole_steps >= kMostWholeSteps) return follow_whole(run_.end);
      pace_.longest = kGrowthAfterHalving * (end - now_.t);
      return follow_whole(end);
    }
    pace_.longest = 0.5 * (end - now_.t);
    if (!restart_stepper(pace_.longest)) return follow_whole(run_.end);
  }
  pace_.whole_steps = 0;
  pace_.last = end - now_.t;
  if (pace_.longest > 0) pace_.longest = std::max(pace_.longest, pace_.last) * kGrowthAfterHalving;
  ++work_.steps;
  solution_.outcome = {Status::reached_end, end, ""};
  return true;
}

LocalRun::Attempt LocalRun::follow_clusters(double start, double end) {
  std::vector<Index> surfaces, events;
  try {
    for (const Index slot : scan_.may_arrive(*stepper_, start, end)) {
      if (slot >= tools_->ode.event_slot(0)) {
        events.push_back(slot - tools_->ode.event_slot(0));
      } else if (surfaces.empty() || surfaces.back() != slot / 2) {
        surfaces.push_back(slot / 2);
      }
    }
  } catch (const std::exception&) {
    return Attempt::failed;
  }
  stepper_->evaluate(end, x_end_);
  if (!clusters_.begin(now_.mode, surfaces, events)) return Attempt::crowded;
  const WholeStep step{start, end, &now_.x, &now_.mode, stepper_->interpolant()};
  const std::vector<double> outputs = outputs_within(start, end);
  results_.clear();
  results_.resize(clusters_.size());
  std::vector<std::size_t> pending;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    if (clusters_[c].is_alive) pending.push_back(c);
  }
  while (!pending.empty()) {
    for (const std::size_t c : pending) {
      if (clusters_[c].surfaces.size() + clusters_[c].events.size() > kMostInCluster) return Attempt::crowded;
    }
    follow_parts(pending, step, outputs);
    std::vector<std::size_t> grown;
    for (const std::size_t c : pending) {
      if (!clusters_[c].is_alive) continue;
      PartResult& result = results_[c];
      add_work(result.solution.statistics);
      if (result.has_failed) return Attempt::failed;
      const auto held = [&](Index surface) { return clusters_.holds_surface(c, surface); };
      const auto held_event = [&](Index event) { return clusters_.holds_event(c, event); };
      std::erase_if(result.changed_surfaces, held);
      std::erase_if(result.fired_events, held_event);
      if (result.disagreeing.empty() && result.changed_surfaces.empty() && result.fired_events.empty())
        continue;
      if (!clusters_.grow(c, result.disagreeing, kGrowth, result.changed_surfaces, result.fired_events))
        return Attempt::failed;
      grown.push_back(c);
    }
    std::erase_if(grown, [&](std::size_t c) { return !clusters_[c].is_alive; });
    pending = std::move(grown);
  }
  std::size_t more = 0;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    if (clusters_[c].is_alive) more += results_[c].solution.events.size();
  }
  // The ordinary engine stops where the limit is reached.
  if (too_many(more)) return Attempt::failed;
  write_outputs(start, end, results_);
  now_.t = end;
  accept_clusters(results_);
  return Attempt::accepted;
}

void LocalRun::follow_parts(const std::vector<std::size_t>& clusters, const WholeStep& step,
                            const std::vector<double>& outputs) {
  const std::size_t threads = std::min(arguments_.size(), clusters.size() / kFewestPerThread);
  if (threads < 2) {
    for (const std::size_t c : clusters)
      results_[c] = parts_.follow(clusters_[c], step, outputs, arguments_.front());
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> thrown(threads);
  const auto work = [&](std::size_t thread) {
    try {
      for (std::size_t k = next++; k < clusters.size(); k = next++)
        results_[clusters[k]] = parts_.follow(clusters_[clusters[k]], step, outputs, arguments_[thread]);
    } catch (...) {
      thrown[thread] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

void LocalRun::accept_clusters(const std::vector<PartResult>& results) {
  std::swap(now_.x, x_end_);
  ModeOde& ode = tools_->ode;
  if (ode.constrained()) {
    stepper_->error_weights(now_.x, weights_);
    ode.project(now_.t, weights_, now_.x);
  }
  std::vector<EventRecord> records;
  bool is_changed = false;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const Cluster& cluster = clusters_[c];
    if (!cluster.is_alive) continue;
    is_changed = true;
    const Solution& part = results[c].solution;
    for (std::size_t k = 0; k < cluster.states.size(); ++k)
      now_.x[cluster.states[k]] = part.final.state[static_cast<Index>(k)];
    for (std::size_t k = 0; k < cluster.surfaces.size(); ++k) {
      // Of two clusters that share a surface none has changed it.
      if (clusters_.holds_surface(c, cluster.surfaces[k]))
        now_.mode.set(cluster.surfaces[k], part.final.mode[static_cast<Index>(k)]);
    }
    solution_.statistics.largest_drift =
        std::max(solution_.statistics.largest_drift, part.statistics.largest_drift);
    for (const EventRecord& record : part.events) records.push_back(record_of_whole(record, cluster));
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.t < b.t; });
  for (EventRecord& record : records) report(std::move(record));
  now_.mode.fill_lambda(now_.lambda);
  if (is_changed) pace_.is_stepping = false;
}

// ---- the log ----------------------------------------------------------------------------------------------

EventRecord LocalRun::record_of_whole(EventRecord record, const Cluster& cluster) const {
  const auto listed = [&](Mode& mode) { mode = Mode(listed_word(record, mode)); };
  if (record.from) listed(*record.from);
  if (record.to) listed(*record.to);
  for (Mode& mode : record.continuations) listed(mode);
  for (Mode& mode : record.in_convex_hull) listed(mode);
  record.listed_only = true;
  record.before.resize(0);
  record.after.resize(0);
  for (Index& surface : record.surfaces) surface = cluster.surfaces[at(surface)];
  return record;
}

void LocalRun::report(EventRecord&& record) {
  if (record.round > 0) fired_.insert(record.name.value_or(""));
  solution_.events.push_back(std::move(record));
  if (!options_.on_event) return;
  named_call([] { return std::string("Options::on_event"); },
             [&] { options_.on_event(solution_.events.back()); });
}

bool LocalRun::too_many(std::size_t more) const {
  return static_cast<Index>(solution_.events.size() + more) >= options_.max_events;
}

std::vector<double> LocalRun::outputs_within(double start, double end) const {
  const std::vector<double>& times = options_.output_times;
  std::vector<double> within;
  for (std::size_t k = next_output_; k < times.size() && times[k] <= end; ++k) {
    if (times[k] > start) within.push_back(times[k]);
  }
  return within;
}

void LocalRun::write_outputs(double start, double end, const std::vector<PartResult>& results) {
  const std::vector<double>& times = options_.output_times;
  Index within = 0;
  for (; next_output_ < times.size() && times[next_output_] <= end; ++next_output_) {
    const double t = times[next_output_];
    if (t < run_.start) continue;
    auto column = solution_.outputs.col(static_cast<Index>(next_output_));
    if (!(t > start)) {
      column = now_.x;
      continue;
    }
    Vector state(now_.x.size());
    stepper_->evaluate(t, state);
    if (tools_->ode.constrained()) {
      stepper_->error_weights(state, weights_);
      tools_->ode.project(t, weights_, state);
    }
    for (std::size_t c = 0; c < results.size(); ++c) {
      const Cluster& cluster = clusters_[c];
      if (!cluster.is_alive) continue;
      for (std::size_t k = 0; k < cluster.states.size(); ++k)
        state[cluster.states[k]] = results[c].solution.outputs(static_cast<Index>(k), within);
    }
    column = state;
    ++within;
  }
}

void LocalRun::add_work(const Statistics& work) {
  work_.steps += work.steps;
  work_.field_evaluations += work.field_evaluations;
  work_.integrator_evaluations += work.integrator_evaluations;
  work_.guard_evaluations += work.guard_evaluations;
  work_.jacobian_evaluations += work.jacobian_evaluations;
  work_.krylov_iterations += work.krylov_iterations;
  work_.restarts += work.restarts;
  work_.dop853_steps += work.dop853_steps;
}

// As the ordinary engine warns at its end: an event that is beyond zero there and has never fired.
void LocalRun::warn_of_silent_events() {
  constexpr std::size_t most = 5;
  std::vector<std::string> silent;
  const Vector atol = options_.atol.expand(now_.x.size(), options_.rtol);
  for (const Event& event : system_.events()) {
    const bool can_wait = event.action == Action::record || event.direction == Direction::any;
    if (can_wait || fired_.count(event.name) > 0) continue;
    const bool rises = event.direction == Direction::rising;
    const double side = rises ? -1 : 1;
    const double value = event.when.value(now_.t, now_.x);
    const GuardShape shape = *event.when.shape(now_.x.size());
    std::vector<double> slopes;
    event.when.slopes(now_.t, now_.x, shape.states, slopes);
    double near = 0;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      const Index state = shape.states[k];
      near += std::abs(slopes[k]) * (options_.rtol * std::abs(now_.x[state]) + atol[state]);
    }
    if (!(side * value < -kNearSilent * near)) continue;
    const bool was_ahead = side * event.when.value(run_.start, run_.state) >= 0;
    if (!was_ahead && event.initially == Initially::wait) continue;
    if (was_ahead && !event.across_jumps) continue;
    const std::string kind = event.action == Action::stop ? "stop" : "reset";
    silent.push_back((event.name.empty() ? "a " + kind + " without a name" : kind + " '" + event.name + "'") +
                     " has never fired, and its guard is " + number_text(value) + " at the end, past zero (" +
                     (rises ? "rising" : "falling") + ")" +
                     (was_ahead ? ": it went past without being zero, as at a pole"
                                : ": it has been there from the start, and fires only on a crossing"));
  }
  for (std::size_t k = 0; k < std::min(most, silent.size()); ++k) solution_.warnings.push_back(silent[k]);
  if (silent.size() > most)
    solution_.warnings.push_back("the same is true of " + std::to_string(silent.size() - most) + " more");
}

Solution LocalRun::ended() {
  const double drift = solution_.statistics.largest_drift;
  const std::int64_t roots = solution_.statistics.integrator_roots;
  solution_.statistics = work_;
  solution_.statistics.largest_drift = drift;
  solution_.statistics.integrator_roots = roots;
  if (stepper_) {
    const StepperStatistics own = stepper_->statistics();
    solution_.statistics.integrator_evaluations += own.velocity_evaluations;
    solution_.statistics.restarts += own.restarts;
  }
  solution_.statistics.field_evaluations += tools_->evaluator.counts().field;
  solution_.statistics.guard_evaluations += tools_->evaluator.counts().guards;
  solution_.statistics.events = static_cast<std::int64_t>(solution_.events.size());
  solution_.outcome.t = now_.t;
  if (solution_.outcome.reached_end() && now_.x.allFinite()) warn_of_silent_events();
  solution_.final = {now_.t, now_.mode, now_.x, ""};
  solution_.trajectory = Trajectory(now_.x.size(), {});
  solution_.trajectory.begin_segment(now_.t, now_.mode, "");
  solution_.trajectory.add_point(now_.t, now_.x);
  return std::move(solution_);
}

}  // namespace slideway
