#include "local/local_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/at.hpp"
#include "core/named_call.hpp"
#include "local/factors.hpp"
#include "log/trajectory_projection.hpp"
#include "simulate/silent_events.hpp"

namespace slideway {

namespace {

// A surface of the whole system takes a side.
struct Change {
  double t;
  Index surface;
  Side side;
};

// Adds the changes of the modes of a part, with their times.
void add_changes(const Cluster& cluster, const Trajectory& trajectory, const Mode& mode,
                 std::vector<Change>& changes) {
  Mode last(static_cast<Index>(cluster.surfaces.size()));
  for (std::size_t k = 0; k < cluster.surfaces.size(); ++k)
    last.set(static_cast<Index>(k), mode[cluster.surfaces[k]]);
  for (const Segment& segment : trajectory.segments()) {
    segment.mode.for_differences(last, [&](Index k) {
      changes.push_back({segment.start, cluster.surfaces[at(k)], segment.mode[k]});
    });
    last = segment.mode;
  }
}

}  // namespace

LocalLog::LocalLog(const Automaton& automaton,
                   const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                   const Options& options, const Run& run)
    : automaton_(automaton),
      options_(options),
      run_(run),
      keeps_states_(options.full_events || run.state.size() <= kMostStatesInEvents),
      keeps_modes_(options.full_events || automaton.system().surfaces() <= kMostSurfacesInEvents),
      makes_pieces_(keeps_states_ || options.recording == Recording::dense || options.on_step),
      projection_(make_projection(automaton, structures, options.atol.expand(run.state.size(), options.rtol),
                                  options)) {
  solution_.outputs = Matrix::Constant(run.state.size(), static_cast<Index>(options.output_times.size()),
                                       std::numeric_limits<double>::quiet_NaN());
  solution_.trajectory = Trajectory(run.state.size(), projection_);
}

bool LocalLog::too_many(std::size_t more) const {
  return static_cast<Index>(solution_.events.size() + more) >= options_.max_events;
}

void LocalLog::go_on(double t, const Mode& mode) {
  if (options_.recording == Recording::dense) solution_.trajectory.begin_segment(t, mode, location_);
}

void LocalLog::append_whole(const Solution& part) {
  for (const EventRecord& record : part.events) {
    if (record.round > 0) fired_.insert(record.name.value_or(""));
    solution_.events.push_back(record);
  }
  solution_.warnings.insert(solution_.warnings.end(), part.warnings.begin(), part.warnings.end());
  if (options_.recording == Recording::dense) solution_.trajectory.append(part.trajectory);
}

// ---- a step ---------------------------------------------------------------------------------------------

void LocalLog::append_step(const WholeStep& step, const Clusters& clusters,
                           const std::vector<PartResult>& results, const Mode& mode_after) {
  std::vector<Found> found;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (!clusters[c].is_alive) continue;
    for (const EventRecord& record : results[c].solution.events) found.push_back({&record, &clusters[c]});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.record->t < b.record->t; });
  if (makes_pieces_) {
    append_pieces(step, clusters, results, found, mode_after);
    return;
  }
  if (found.empty()) return;
  Mode running = keeps_modes_ ? *step.mode : Mode();
  for (const Found& one : found) report(record_of_whole(one, step, Vector(), running));
}

void LocalLog::append_pieces(const WholeStep& step, const Clusters& clusters,
                             const std::vector<PartResult>& results, const std::vector<Found>& found,
                             const Mode& mode_after) {
  const bool is_kept = options_.recording == Recording::dense;
  Trajectory of_step;
  if (!is_kept) {
    of_step = Trajectory(run_.state.size(), projection_);
    of_step.begin_segment(step.start, *step.mode, location_);
  }
  Trajectory& kept = is_kept ? solution_.trajectory : of_step;
  share_polynomial(step.dense, kept);
  std::vector<Change> changes;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (!clusters[c].is_alive) continue;
    kept.add_part(clusters[c].states, results[c].solution.trajectory);
    add_changes(clusters[c], results[c].solution.trajectory, *step.mode, changes);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.t < b.t; });
  std::vector<double> times;
  for (const Change& change : changes) times.push_back(change.t);
  for (const Found& one : found) times.push_back(one.record->t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());

  Mode mode = *step.mode;
  Mode running = mode;
  Vector state;
  auto next_change = changes.begin();
  auto next_found = found.begin();
  double from = step.start;
  const auto add_piece = [&](double to) {
    kept.add_piece(from, to);
    observe(kept, from, to, mode);
    from = to;
  };
  for (const double t : times) {
    const bool is_inside = t > from;
    if (is_inside) add_piece(t);
    if (keeps_states_) {
      state = *step.state;
      if (is_inside) kept.evaluate(kept.segments().size() - 1, t, state);
    }
    for (; next_change != changes.end() && next_change->t <= t; ++next_change)
      mode.set(next_change->surface, next_change->side);
    if (!(t < step.end)) mode = mode_after;
    kept.begin_segment(t, mode, location_);
    for (; next_found != found.end() && next_found->record->t <= t; ++next_found)
      report(record_of_whole(*next_found, step, state, running));
  }
  if (from < step.end) {
    add_piece(step.end);
    if (mode != mode_after) kept.begin_segment(step.end, mode_after, location_);
  }
}

void LocalLog::share_polynomial(const Interpolant& dense, Trajectory& kept) {
  coefficients_.resize(dense.states, dense.terms);
  for (Index k = 0; k < dense.terms; ++k) coefficients_.col(k) = dense.coefficient(k);
  kept.share_polynomial(dense.center, dense.scale, coefficients_);
}

void LocalLog::observe(Trajectory& kept, double start, double end, const Mode& mode) {
  if (!options_.on_step) return;
  const std::size_t segment = kept.segments().size() - 1;
  const StepView view{start, end, mode, location_,
                      [&](double t, VectorRef x) { kept.evaluate(segment, t, x); }};
  named_call([] { return std::string("Options::on_step"); },
             [&] { stop_asked_ = options_.on_step(view) == Answer::stop || stop_asked_; });
}

// ---- events ---------------------------------------------------------------------------------------------

EventRecord LocalLog::record_of_whole(const Found& found, const WholeStep& step, const Vector& state,
                                      Mode& running) const {
  const Cluster& cluster = *found.cluster;
  EventRecord record = *found.record;
  if (automaton_.has_locations()) record.from_location = record.to_location = location_;
  // Within a run that has begun every event has a mode before it.
  if (!record.from) {
    record.from = Mode(static_cast<Index>(cluster.surfaces.size()));
    for (std::size_t k = 0; k < cluster.surfaces.size(); ++k)
      record.from->set(static_cast<Index>(k), (*step.mode)[cluster.surfaces[k]]);
  }
  const auto to_whole = [&](Mode& mode) {
    if (!keeps_modes_) {
      mode = Mode(listed_word(record, mode));
      return;
    }
    Mode whole = running;
    for (std::size_t k = 0; k < cluster.surfaces.size(); ++k)
      whole.set(cluster.surfaces[k], mode[static_cast<Index>(k)]);
    mode = std::move(whole);
  };
  to_whole(*record.from);
  if (record.to) to_whole(*record.to);
  for (Mode& mode : record.continuations) to_whole(mode);
  for (Mode& mode : record.in_convex_hull) to_whole(mode);
  record.listed_only = !keeps_modes_;
  if (keeps_modes_ && record.to) running = *record.to;
  for (Vector* own : {&record.before, &record.after}) {
    if (!keeps_states_ || own->size() == 0) {
      own->resize(0);
      continue;
    }
    Vector whole = state;
    for (std::size_t k = 0; k < cluster.states.size(); ++k)
      whole[cluster.states[k]] = (*own)[static_cast<Index>(k)];
    *own = std::move(whole);
  }
  for (Index& surface : record.surfaces) surface = cluster.surfaces[at(surface)];
  return record;
}

void LocalLog::report(EventRecord&& record) {
  if (record.round > 0) fired_.insert(record.name.value_or(""));
  solution_.events.push_back(std::move(record));
  if (!options_.on_event) return;
  named_call(
      [] { return std::string("Options::on_event"); },
      [&] { stop_asked_ = options_.on_event(solution_.events.back()) == Answer::stop || stop_asked_; });
}

// ---- outputs --------------------------------------------------------------------------------------------

std::vector<double> LocalLog::outputs_within(double start, double end) const {
  const std::vector<double>& times = options_.output_times;
  std::vector<double> within;
  for (std::size_t k = next_output_; k < times.size() && times[k] <= end; ++k) {
    if (times[k] > start) within.push_back(times[k]);
  }
  return within;
}

void LocalLog::write_outputs(const WholeStep& step,
                             const std::function<void(double t, VectorRef x)>& evaluate,
                             const Clusters& clusters, const std::vector<PartResult>& results) {
  const std::vector<double>& times = options_.output_times;
  Index within = 0;
  for (; next_output_ < times.size() && times[next_output_] <= step.end; ++next_output_) {
    const double t = times[next_output_];
    if (t < run_.start) continue;
    auto column = solution_.outputs.col(static_cast<Index>(next_output_));
    if (!(t > step.start)) {
      column = *step.state;
      continue;
    }
    Vector state(run_.state.size());
    evaluate(t, state);
    for (std::size_t c = 0; c < results.size(); ++c) {
      const Cluster& cluster = clusters[c];
      if (!cluster.is_alive) continue;
      for (std::size_t k = 0; k < cluster.states.size(); ++k)
        state[cluster.states[k]] = results[c].solution.outputs(static_cast<Index>(k), within);
    }
    column = state;
    ++within;
  }
}

void LocalLog::take_outputs(const Matrix& outputs) {
  for (Index k = 0; k < outputs.cols(); ++k) {
    if (outputs.col(k).allFinite())
      solution_.outputs.col(static_cast<Index>(next_output_) + k) = outputs.col(k);
  }
  next_output_ += static_cast<std::size_t>(outputs.cols());
}

// ---- the end --------------------------------------------------------------------------------------------

void LocalLog::warn_of_silent_events(double t, ConstVectorRef x) {
  std::vector<std::string> silent;
  const Vector atol = options_.atol.expand(x.size(), options_.rtol);
  for (const Event& event : automaton_.system().events()) {
    const bool can_wait = event.action == Action::record || event.direction == Direction::any;
    if (can_wait || fired_.count(event.name) > 0) continue;
    const bool rises = event.direction == Direction::rising;
    const double side = rises ? -1 : 1;
    const double value = event.when.value(t, x);
    const GuardShape shape = *event.when.shape(x.size());
    std::vector<double> slopes;
    event.when.slopes(t, x, shape.states, slopes);
    double near = 0;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      const Index state = shape.states[k];
      near += std::abs(slopes[k]) * (options_.rtol * std::abs(x[state]) + atol[state]);
    }
    if (!(side * value < -kNearSilent * near)) continue;
    const bool was_ahead = side * event.when.value(run_.start, run_.state) >= 0;
    if (!was_ahead && event.initially == Initially::wait) continue;
    if (was_ahead && !event.across_jumps) continue;
    silent.push_back(silent_event_warning(event.action == Action::stop ? "stop" : "reset", event.name, value,
                                          rises, was_ahead));
  }
  append_silent(silent, solution_.warnings);
}

void LocalLog::end(double t, ConstVectorRef x, const Mode& mode) {
  Trajectory& trajectory = solution_.trajectory;
  const bool is_recorded = options_.recording == Recording::dense && !trajectory.empty();
  if (is_recorded && !trajectory.ends_without_state()) return;
  if (!is_recorded) {
    trajectory = Trajectory(x.size(), {});
    trajectory.begin_segment(t, mode, location_);
  }
  trajectory.add_point(t, x);
}

}  // namespace slideway
