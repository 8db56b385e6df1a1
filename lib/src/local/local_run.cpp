#include "local/local_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "local/factors.hpp"
#include "simulate/caller_stop.hpp"

namespace slideway {

namespace {

std::string why_not_by_options(const Options& options) {
  if (options.on_ambiguity != Ambiguity::stop) return "a policy follows continuations that are not unique";
  if (options.sliding_rule != SlidingRule::filippov) return "the sliding rule is not Filippov's";
  if (options.selection != Selection::consistent) return "the selection is not that of consistent modes";
  const bool is_multistep = options.method == Method::bdf || options.method == Method::adams;
  if (is_multistep) return std::string("the method is ") + to_string(options.method);
  return "";
}

void add_work(const Stepper& stepper, Statistics& work) {
  const StepperStatistics own = stepper.statistics();
  work.integrator_evaluations += own.velocity_evaluations;
  work.restarts += own.restarts;
}

}  // namespace

bool wants_local(const Options& options) { return options.local_events == LocalEvents::on; }

std::string why_not_local(const Automaton& automaton, const Options& options, const Run& run) {
  if (!(run.end > run.start)) return "the run has no duration";
  if (std::string why = why_not_by_options(options); !why.empty()) return why;
  for (std::size_t q = 0; q < automaton.locations().size(); ++q) {
    std::string why = LocalPlace::why_none(automaton, q);
    if (why.empty()) continue;
    return automaton.has_locations() ? "in location '" + automaton.locations()[q].name + "' " + why : why;
  }
  return "";
}

LocalRun::LocalRun(const Automaton& automaton,
                   const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                   const Options& options, const Run& run, FollowAll follow_all)
    : automaton_(automaton),
      structures_(structures),
      options_(options),
      run_(run),
      follow_all_(std::move(follow_all)),
      log_(automaton, structures, options, run),
      places_(automaton.locations().size()),
      now_{run.start, run.state, Vector::Zero(automaton.system().surfaces()), Mode()},
      x_end_(run.state),
      weights_(Vector::Ones(automaton.system().states())) {
  pace_.method = options.method;
  here_ = &place(automaton.initial());
  enter(run.location.empty() ? here_->tools.name : run.location);
  if (!here_->is_polynomial) pace_.last = kFirstSampled * (run.end - run.start);
  // Functions of the user's are called in this thread alone.
  const System& system = automaton.system();
  const bool calls_user = system.definition().rows || !system.events().empty();
  const unsigned int threads =
      calls_user ? 1 : std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  for (unsigned int k = 0; k < threads; ++k) {
    part_tools_.emplace_back(system);
    // Rows may read more than they depend on.
    part_tools_.back().arguments->x = run.state;
  }
}

LocalPlace& LocalRun::place(std::size_t location) {
  std::unique_ptr<LocalPlace>& made = places_[location];
  if (!made) {
    made = std::make_unique<LocalPlace>(
        automaton_, location, structures_[location], options_,
        log_.needs_trajectories_of_parts() ? Recording::dense : Recording::nothing, follow_all_);
    made->tools.set_duration(run_.end - run_.start);
    if (is_stiff()) made->parts.follow_by(pace_.method);
  }
  return *made;
}

void LocalRun::enter(const std::string& location) {
  now_.location = location;
  log_.set_location(location);
  const std::vector<Location>& locations = automaton_.locations();
  const auto found = std::find_if(locations.begin(), locations.end(),
                                  [&](const Location& one) { return one.name == location; });
  is_between_ = found == locations.end();
  if (!is_between_) here_ = &place(static_cast<std::size_t>(found - locations.begin()));
}

Solution LocalRun::execute() {
  const auto began = std::chrono::steady_clock::now();
  try {
    if (begin()) {
      while (now_.t < run_.end && take_step()) {
        if (!log_.stop_asked() || !(now_.t < run_.end)) continue;
        outcome_ = {Status::stopped_by_caller, now_.t, kStoppedByCallback};
        break;
      }
    }
  } catch (const std::exception& error) {
    outcome_ = {Status::user_function_failed, now_.t,
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
  options.output_times.clear();
  return options;
}

bool LocalRun::begin() {
  Run at_start = run_;
  at_start.end = run_.start;
  const Solution start = follow_all_(automaton_, structures_, options_of_part(), at_start, EndWarnings::none);
  log_.solution().initial = start.initial;
  log_.write_outputs({now_.t, now_.t, &now_.x, &now_.mode}, {}, here_->clusters, {});
  adopt(start, now_.t);
  return start.outcome.reached_end();
}

void LocalRun::adopt(const Solution& part, double end) {
  log_.append_whole(part);
  work_ += part.statistics;
  now_.mode = part.final.mode;
  now_.x = part.final.state;
  now_.pending = part.pending;
  enter(part.final.location);
  known_ = Known();
  fill_lambda();
  now_.t = part.outcome.reached_end() ? end : part.outcome.t;
  pace_.is_stepping = false;
  outcome_ = part.outcome;
  if (part.outcome.reached_end() && now_.t < run_.end) log_.go_on(now_.t, now_.mode);
}

bool LocalRun::follow_whole(double end) {
  Options options = options_of_part();
  options.max_events =
      std::max<Index>(1, options_.max_events - static_cast<Index>(log_.solution().events.size()));
  options.max_steps = std::max<Index>(1, options_.max_steps - work_.steps);
  options.output_times = log_.outputs_within(now_.t, end);
  const Run run{.start = now_.t,
                .end = end,
                .state = now_.x,
                .location = now_.location,
                .mode = now_.mode,
                .pending = now_.pending};
  const EndWarnings warnings = end < run_.end ? EndWarnings::none : EndWarnings::of_steps;
  const Solution part = follow_all_(automaton_, structures_, options, run, warnings);
  log_.take_outputs(part.outputs);
  adopt(part, end);
  return part.outcome.reached_end();
}

// ---- a step ---------------------------------------------------------------------------------------------

double LocalRun::step_to_try() const {
  double step = here_->stepper->usual_step();
  if (pace_.last > 0) step = step > 0 ? std::min(step, kMostGrowth * pace_.last) : pace_.last;
  if (pace_.longest > 0) step = step > 0 ? std::min(step, pace_.longest) : pace_.longest;
  return step;
}

bool LocalRun::restart_stepper(double first_step) {
  ModeOde& ode = here_->tools.ode;
  if (!here_->stepper) {
    // The norm of errors is a mean over all states, and what happens at one place must not be lost among many where nothing does.
    const double part = std::min(1.0, std::sqrt(kStatesOfOnePlace / static_cast<double>(now_.x.size())));
    const double rtol = std::max(part * options_.rtol, std::min(options_.rtol, kFinestStep));
    here_->tools.stepping.atol *= rtol / here_->tools.stepping.rtol;
    here_->tools.stepping.rtol = rtol;
    here_->stepper = here_->tools.stepper_by(pace_.method);
  }
  if (here_->tools.contacts)
    here_->contact_modes = here_->tools.contacts->modes_in(now_.mode, here_->system.surfaces());
  ode.begin(now_.mode.first(here_->system.surfaces()), now_.lambda, false);
  pace_.is_stepping = here_->stepper->start(now_.t, now_.x, std::min(run_.end, known_.until), first_step);
  return pace_.is_stepping;
}

void LocalRun::fill_lambda() { now_.mode.first(here_->system.surfaces()).fill_lambda(now_.lambda); }

bool LocalRun::slides_in_second_order(const Mode& mode, const std::vector<Index>& surfaces) const {
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (mode.slides_on(static_cast<Index>(k)) && here_->without_effect.flags[at(surfaces[k])] != 0)
      return true;
  }
  return false;
}

bool LocalRun::slides_globally() const {
  if (is_between_) return true;
  if (!here_->coupling.has_global()) return false;
  for (Index i = 0; i < now_.mode.size(); ++i) {
    if (here_->coupling.is_global_surface(i) && now_.mode.slides_on(i)) return true;
  }
  return false;
}

bool LocalRun::comes_to_known_time() {
  if (!(known_.time > now_.t)) {
    known_.time = kInfinity;
    for (const TimeEvent& event : here_->system.time_events()) {
      std::int64_t k = event.first_from(now_.t);
      while (event.time(k) <= now_.t + time_rounding(now_.t)) ++k;
      known_.time = std::min(known_.time, event.time(k));
    }
    for (const PendingAction& action : now_.pending) {
      if (action.is_edge) known_.time = std::min(known_.time, action.t);
    }
    // An event at the end of the run happens.
    known_.time =
        known_.time <= run_.end + time_rounding(run_.end) ? std::min(known_.time, run_.end) : kInfinity;
    const double away = known_.time - now_.t;
    const double lead = kGlobalPart * (pace_.last > 0 ? std::min(pace_.last, away) : away);
    known_.until = std::isfinite(known_.time) ? known_.time - lead : kInfinity;
    pace_.is_stepping = false;
  }
  return !(now_.t < known_.until);
}

bool LocalRun::take_step() {
  if (comes_to_known_time()) return follow_whole(known_.time);
  const auto slides = [&](Index surface) { return now_.mode.slides_on(surface); };
  const std::vector<Index>& in_second_order = here_->without_effect.surfaces;
  if (std::any_of(in_second_order.begin(), in_second_order.end(), slides)) return follow_whole(run_.end);
  if (slides_globally()) {
    const double stretch = pace_.last > 0 ? pace_.last : kGlobalPart * (run_.end - now_.t);
    pace_.last = kGrowthOfWhole * stretch;
    return follow_whole(std::min(run_.end, now_.t + stretch));
  }
  if (!pace_.is_stepping && !restart_stepper(here_->stepper ? step_to_try() : 0))
    return follow_whole(run_.end);
  if (work_.steps >= options_.max_steps) {
    outcome_ = {Status::step_limit, now_.t,
                "the limit of " + std::to_string(options_.max_steps) +
                    " steps is reached at t = " + number_text(now_.t) + "; raise max_steps"};
    return false;
  }
  if (now_.t >= pace_.crowded_end) pace_.crowded_end = kInfinity;
  double end = now_.t;
  for (;;) {
    here_->tools.ode.forget_samples();
    const StepReport report = here_->stepper->step();
    if (report.status == StepStatus::failed) {
      pace_.is_stepping = false;
      // The ordinary engine knows what to do, or says what is wrong.
      return follow_whole(std::min(run_.end, pace_.last > 0 ? now_.t + pace_.last : run_.end));
    }
    if (!std::isnan(here_->stepper->statistics().stiff_from)) return go_on_as_stiff();
    end = report.end;
    const bool is_too_long =
        !here_->is_polynomial && pace_.last > 0 && end - now_.t > kGrowthOfSampled * pace_.last * (1 + 1e-9);
    if (is_too_long) {
      if (!restart_stepper(kGrowthOfSampled * pace_.last)) return follow_whole(run_.end);
      continue;
    }
    const Attempt attempt = follow_clusters(now_.t, end);
    if (attempt == Attempt::accepted) break;
    if (attempt == Attempt::global) {
      const double length = end - now_.t;
      if (!(pace_.usual > 0)) pace_.usual = length;
      if (length <= kGlobalPart * pace_.usual) {
        pace_.longest = pace_.last = pace_.usual;
        pace_.usual = 0;
        return follow_whole(std::min(run_.end, now_.t + 2 * length));
      }
    }
    if (attempt == Attempt::crowded) {
      if (!std::isfinite(pace_.crowded_end)) pace_.crowded_step = end - now_.t;
      pace_.crowded_end = std::min(pace_.crowded_end, end);
      // The events that are too many come together in what is left, where halved steps would only come nearer to them.
      if (pace_.crowded_end - now_.t <= kCrowdedPart * pace_.crowded_step) {
        pace_.longest = pace_.last = 0.5 * pace_.crowded_step;
        const double until = std::exchange(pace_.crowded_end, kInfinity);
        return follow_whole(++pace_.whole_steps >= kMostWholeSteps ? run_.end : until);
      }
    }
    if (attempt == Attempt::failed) {
      if (++pace_.whole_steps >= kMostWholeSteps) return follow_whole(run_.end);
      pace_.longest = kGrowthAfterHalving * (end - now_.t);
      return follow_whole(end);
    }
    pace_.longest = 0.5 * (end - now_.t);
    if (!restart_stepper(pace_.longest)) return follow_whole(run_.end);
  }
  pace_.whole_steps = 0;
  pace_.last = end - now_.t;
  if (pace_.last >= pace_.usual) pace_.usual = 0;
  if (pace_.longest > 0) pace_.longest = std::max(pace_.longest, pace_.last) * kGrowthAfterHalving;
  ++work_.steps;
  outcome_ = {Status::reached_end, end, ""};
  return true;
}

bool LocalRun::go_on_as_stiff() {
  pace_.is_stepping = false;
  // RODAS needs factors.
  if (options_.linear_solver == LinearSolver::gmres) return follow_whole(run_.end);
  pace_.method = Method::rodas;
  for (const std::unique_ptr<LocalPlace>& made : places_) {
    if (!made) continue;
    if (made->stepper) add_work(*made->stepper, work_);
    made->stepper.reset();
    made->parts.follow_by(pace_.method);
  }
  return true;
}

LocalRun::Attempt LocalRun::follow_clusters(double start, double end) {
  std::vector<Index> surfaces, events;
  try {
    for (const Index slot : here_->scan.may_arrive(*here_->stepper, start, end)) {
      if (slot >= here_->tools.ode.event_slot(0)) {
        events.push_back(slot - here_->tools.ode.event_slot(0));
        if (here_->coupling.is_global_event(events.back())) return Attempt::global;
      } else if (slot >= here_->tools.ode.contact_slot(0)) {
        surfaces.push_back(here_->system.surfaces() + slot - here_->tools.ode.contact_slot(0));
      } else if (surfaces.empty() || surfaces.back() != slot / 2) {
        surfaces.push_back(slot / 2);
        if (here_->coupling.is_global_surface(surfaces.back())) return Attempt::global;
      }
    }
  } catch (const std::exception&) {
    return Attempt::failed;
  }
  for (const PendingAction& action : now_.pending) {
    if (acts_within(action, end)) events.push_back(static_cast<Index>(action.of));
  }
  here_->stepper->evaluate(end, x_end_);
  if (!here_->clusters.begin(now_.mode, surfaces, events, pace_.reach)) return Attempt::crowded;
  const WholeStep step{start,
                       end,
                       &now_.x,
                       &now_.mode,
                       here_->stepper->interpolant(),
                       here_->coupling.has_global() ? &here_->scan.times() : nullptr};
  const std::vector<double> outputs = log_.outputs_within(start, end);
  results_.clear();
  results_.resize(here_->clusters.size());
  std::vector<std::size_t> pending;
  for (std::size_t c = 0; c < here_->clusters.size(); ++c) {
    if (here_->clusters[c].is_alive) pending.push_back(c);
  }
  int furthest = 0;
  while (!pending.empty()) {
    for (const std::size_t c : pending) {
      if (here_->clusters[c].surfaces.size() + here_->clusters[c].events.size() > kMostInCluster)
        return Attempt::crowded;
    }
    follow_parts(pending, step, outputs);
    std::vector<std::size_t> grown;
    for (const std::size_t c : pending) {
      if (!here_->clusters[c].is_alive) continue;
      PartResult& result = results_[c];
      work_ += result.solution.statistics;
      if (result.has_failed) return Attempt::failed;
      for (const EventRecord& record : result.solution.events) {
        if (record.to && slides_in_second_order(*record.to, here_->clusters[c].surfaces))
          return Attempt::failed;
      }
      const auto held = [&](Index surface) { return here_->clusters.holds_surface(c, surface); };
      const auto held_event = [&](Index event) { return here_->clusters.holds_event(c, event); };
      std::erase_if(result.changed_surfaces, held);
      std::erase_if(result.fired_events, held_event);
      if (result.disagreeing.empty() && result.changed_surfaces.empty() && result.fired_events.empty())
        continue;
      const int growth = is_stiff() ? std::max(kGrowth, pace_.reach / kGrowthOfReach) : kGrowth;
      if (!here_->clusters.grow(c, result.disagreeing, growth, result.changed_surfaces, result.fired_events))
        return Attempt::failed;
      if (!result.disagreeing.empty()) furthest = std::max(furthest, here_->clusters[c].reach);
      grown.push_back(c);
    }
    std::erase_if(grown, [&](std::size_t c) { return !here_->clusters[c].is_alive; });
    pending = std::move(grown);
  }
  std::size_t more = 0;
  for (std::size_t c = 0; c < here_->clusters.size(); ++c) {
    if (here_->clusters[c].is_alive) more += results_[c].solution.events.size();
  }
  // The ordinary engine stops where the limit is reached.
  if (log_.too_many(more)) return Attempt::failed;
  if (here_->coupling.has_global() && !global_guards_stay_clear()) return Attempt::global;
  if (is_stiff()) pace_.reach = furthest > 0 ? furthest : std::max(kFirstReach, pace_.reach - 1);
  accept_clusters(start, end);
  return Attempt::accepted;
}

bool LocalRun::global_guards_stay_clear() {
  const std::vector<double>& times = here_->scan.times();
  ModeOde& ode = here_->tools.ode;
  Vector state(now_.x.size());
  Vector values(ode.guards());
  // `moved` holds, by global slot, the largest distance that samples show.
  std::vector<std::pair<Index, double>> moved;
  for (Index i = 0; i < here_->system.surfaces(); ++i) {
    if (here_->coupling.is_global_surface(i)) moved.emplace_back(ModeOde::first_slot(i), 0);
  }
  const Index events = here_->tools.watch.size();
  for (Index e = 0; e < events; ++e) {
    if (here_->coupling.is_global_event(e)) moved.emplace_back(ode.event_slot(e), 0);
  }
  try {
    for (std::size_t k = 0; k < times.size(); ++k) {
      here_->stepper->evaluate(times[k], state);
      for (std::size_t c = 0; c < here_->clusters.size(); ++c) {
        const Cluster& cluster = here_->clusters[c];
        if (!cluster.is_alive) continue;
        for (std::size_t j = 0; j < cluster.states.size(); ++j)
          state[cluster.states[j]] = results_[c].sampled(static_cast<Index>(j), static_cast<Index>(k));
      }
      ode.forget_samples();
      ode.sample(times[k], state, values);
      for (auto& [slot, most] : moved)
        most = std::max(most, std::abs(values[slot] - here_->scan.sampled(slot, k)));
    }
  } catch (const std::exception&) {
    return false;
  }
  return std::all_of(moved.begin(), moved.end(), [&](const auto& one) {
    const double margin = kGlobalMargin * one.second;
    const bool waits = one.first >= ode.event_slot(0) && here_->scan.highest(one.first) < -margin;
    return waits || here_->scan.lowest(one.first) > margin;
  });
}

bool LocalRun::acts_within(const PendingAction& action, double end) {
  return !action.is_edge && action.t <= end + time_rounding(end);
}

void LocalRun::follow_parts(const std::vector<std::size_t>& clusters, const WholeStep& step,
                            const std::vector<double>& outputs) {
  std::vector<std::vector<PendingAction>> due(here_->clusters.size());
  for (const PendingAction& action : now_.pending) {
    if (acts_within(action, step.end))
      due[here_->clusters.cluster_of_event(static_cast<Index>(action.of))].push_back(action);
  }
  const auto follow = [&](std::size_t c, PartTools& tools) {
    results_[c] = here_->parts.follow(here_->clusters[c], step, outputs, due[c], tools);
  };
  const std::size_t threads = std::min(part_tools_.size(), clusters.size() / kFewestPerThread);
  if (threads < 2) {
    for (const std::size_t c : clusters) follow(c, part_tools_.front());
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> thrown(threads);
  const auto work = [&](std::size_t thread) {
    try {
      for (std::size_t k = next++; k < clusters.size(); k = next++) follow(clusters[k], part_tools_[thread]);
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

void LocalRun::accept_clusters(double start, double end) {
  ModeOde& ode = here_->tools.ode;
  const auto project = [&](double t, VectorRef x) {
    if (!ode.constrained()) return;
    here_->stepper->error_weights(x, weights_);
    ode.project(t, weights_, x);
  };
  const auto evaluate = [&](double t, VectorRef x) {
    here_->stepper->evaluate(t, x);
    project(t, x);
  };
  mode_before_ = now_.mode;
  // x_end_ is the state before, from here on.
  std::swap(now_.x, x_end_);
  now_.t = end;
  project(end, now_.x);
  std::erase_if(now_.pending, [&](const PendingAction& action) { return acts_within(action, end); });
  for (std::size_t c = 0; c < here_->clusters.size(); ++c) {
    const Cluster& cluster = here_->clusters[c];
    if (!cluster.is_alive) continue;
    pace_.is_stepping = false;
    const Solution& part = results_[c].solution;
    for (const PendingAction& action : part.pending) {
      now_.pending.push_back(action);
      now_.pending.back().of = at(cluster.events[action.of]);
    }
    for (std::size_t k = 0; k < cluster.states.size(); ++k)
      now_.x[cluster.states[k]] = part.final.state[static_cast<Index>(k)];
    for (std::size_t k = 0; k < cluster.surfaces.size(); ++k) {
      // A surface that two clusters share was changed by neither.
      if (here_->clusters.holds_surface(c, cluster.surfaces[k]))
        now_.mode.set(cluster.surfaces[k], part.final.mode[static_cast<Index>(k)]);
    }
  }
  fill_lambda();
  const WholeStep step{start, end, &x_end_, &mode_before_, here_->stepper->interpolant()};
  log_.write_outputs(step, evaluate, here_->clusters, results_);
  log_.append_step(step, here_->clusters, results_, now_.mode);
}

Solution LocalRun::ended() {
  Solution& solution = log_.solution();
  solution.statistics = work_;
  for (const std::unique_ptr<LocalPlace>& made : places_) {
    if (!made) continue;
    if (made->stepper) add_work(*made->stepper, solution.statistics);
    solution.statistics.field_evaluations += made->tools.evaluator.counts().field;
    solution.statistics.guard_evaluations += made->tools.evaluator.counts().guards;
  }
  solution.statistics.events = static_cast<std::int64_t>(solution.events.size());
  solution.outcome = outcome_;
  solution.outcome.t = now_.t;
  if (outcome_.reached_end() && now_.x.allFinite()) log_.warn_of_silent_events(now_.t, now_.x);
  solution.pending = std::move(now_.pending);
  solution.final = {now_.t, now_.mode, now_.x, now_.location};
  log_.end(now_.t, now_.x, now_.mode);
  return std::move(solution);
}

}  // namespace slideway
