#include "sweep/sweep_run.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>

#include <fmt/format.h>

#include "slideway/audit/audit.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

namespace {

struct Cancelled {};

void widen(double& least, double& greatest, double value) {
  if (std::isnan(value)) return;
  // A quantity that was not seen yet is NaN, with which every comparison is false.
  if (!(least <= value)) least = value;
  if (!(greatest >= value)) greatest = value;
}

// The least and greatest value of every quantity on the way: at five points of every step, and where three of them show that there is
// an extremum between them that may be beyond those known. Quantities are the states, then the observables.
class Extremes {
 public:
  Extremes(Index states, Observation* observation, double from)
      : observation_(observation),
        from_(from),
        states_(states),
        least_(Vector::Constant(states + (observation != nullptr ? observation->size() : 0),
                                std::numeric_limits<double>::quiet_NaN())),
        greatest_(least_) {}

  // The states alone, as where they jump.
  void add(double t, ConstVectorRef x) {
    if (t < from_) return;
    for (Index i = 0; i < states_; ++i) widen(least_[i], greatest_[i], x[i]);
  }

  void add_observed(double t, ConstVectorRef observed) {
    if (t < from_) return;
    for (Index i = 0; i < observed.size(); ++i)
      widen(least_[states_ + i], greatest_[states_ + i], observed[i]);
  }

  void add(const StepView& step) {
    const double start = std::max(step.start, from_);
    if (!(step.end > start)) return;
    constexpr std::size_t points = 5;
    for (std::size_t k = 0; k < points; ++k) {
      times_[k] = k + 1 == points ? step.end : start + 0.25 * static_cast<double>(k) * (step.end - start);
      evaluate(step, times_[k], samples_[k]);
      for (Index i = 0; i < least_.size(); ++i) widen(least_[i], greatest_[i], samples_[k][i]);
    }
    for (Index i = 0; i < least_.size(); ++i) {
      for (std::size_t k = 1; k + 1 < points; ++k) {
        // y = bend·τ² + slope·τ about the middle one of three neighbouring points, τ in units of their spacing.
        const double middle = samples_[k](i);
        const double bend = 0.5 * (samples_[k - 1](i) + samples_[k + 1](i)) - middle;
        const double slope = 0.5 * (samples_[k + 1](i) - samples_[k - 1](i));
        const double vertex = -0.5 * slope / bend;
        if (bend == 0 || !(std::abs(vertex) <= 1)) continue;
        const double extremum = middle + 0.5 * slope * vertex;
        // A bound on the distance between the curve and its parabola.
        const double doubt = kDoubt * std::abs(bend);
        if (extremum <= greatest_(i) - doubt && extremum >= least_(i) + doubt) continue;
        look_between(step, i, times_[k - 1], times_[k + 1], bend > 0 ? 1 : -1);
      }
    }
  }

  std::vector<double> least() const { return {least_.data(), least_.data() + least_.size()}; }
  std::vector<double> greatest() const { return {greatest_.data(), greatest_.data() + greatest_.size()}; }

 private:
  static constexpr double kDoubt = 0.1;
  // Half of these bits of where a smooth extremum is are all of its value.
  static constexpr int kBits = std::numeric_limits<double>::digits / 2;

  void evaluate(const StepView& step, double t, Vector& values) const {
    values.resize(least_.size());
    step.evaluate(t, values.head(states_));
    if (observation_ == nullptr) return;
    values.tail(values.size() - states_) =
        observation_->at(t, values.head(states_), step.mode, step.location);
  }

  // The least of sign·yᵢ.
  void look_between(const StepView& step, Index i, double from, double to, double sign) {
    const auto value = [&](double t) {
      if (i >= states_) {
        evaluate(step, t, inside_);
      } else {
        inside_.resize(least_.size());
        step.evaluate(t, inside_.head(states_));
      }
      return std::isnan(inside_[i]) ? std::numeric_limits<double>::infinity() : sign * inside_[i];
    };
    const double lowest = sign * boost::math::tools::brent_find_minima(value, from, to, kBits).second;
    if (std::isfinite(lowest)) widen(least_[i], greatest_[i], lowest);
  }

  Observation* observation_;
  double from_;
  Index states_;
  Vector least_, greatest_, inside_;
  std::array<double, 5> times_{};
  std::array<Vector, 5> samples_;
};

class SectionPoints {
 public:
  SectionPoints(const std::optional<SweepSection>& section, const System& system, double from)
      : section_(section), system_(system), from_(from), points_(static_cast<std::size_t>(system.states())) {}

  void add(const EventRecord& event) {
    if (!section_ || event.t < from_ || event.before.size() == 0) return;
    if (!arrives({.name = section_->name, .direction = section_->direction}, system_, event)) return;
    ++count_;
    times_.push_back(event.t);
    if (static_cast<Index>(times_.size()) > section_->most) times_.pop_front();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i].push_back(event.before(static_cast<Index>(i)));
      if (static_cast<Index>(points_[i].size()) > section_->most) points_[i].pop_front();
    }
  }

  Index count() const { return count_; }
  std::vector<double> times() const { return {times_.begin(), times_.end()}; }
  std::vector<std::vector<double>> points() const {
    std::vector<std::vector<double>> result;
    for (const auto& states : points_) result.emplace_back(states.begin(), states.end());
    return result;
  }

 private:
  const std::optional<SweepSection>& section_;
  System system_;
  double from_;
  Index count_ = 0;
  std::deque<double> times_;
  std::vector<std::deque<double>> points_;
};

Run begin_of(const SweepTask& task, const ModelInstance& instance, const std::optional<SweepStart>& start) {
  const double end = task.end.value_or(instance.end);
  if (!start) return {.start = instance.start, .end = end, .state = instance.state};
  return {.start = start->t,
          .end = start->t + (end - instance.start),
          .state = Eigen::Map<const Vector>(start->state.data(), static_cast<Index>(start->state.size())),
          .location = start->location};
}

// Throws Overdue for a run that takes longer on the clock than it may.
class Deadline {
 public:
  explicit Deadline(const std::optional<double>& seconds) {
    if (seconds)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::min(*seconds, most_seconds)));
  }
  void check() {
    if (!end_ || (!is_over_ && Clock::now() < *end_)) return;
    is_over_ = true;
    throw Overdue{};
  }
  bool is_over() const { return is_over_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Overdue {};
  static constexpr double most_seconds = 1e9;

  std::optional<Clock::time_point> end_ = {};
  bool is_over_ = false;
};

void follow(const SweepTask& task, const ModelInstance& instance, const std::optional<SweepStart>& start,
            const std::atomic<bool>& cancelled, SweepRow& row) {
  const Run run = begin_of(task, instance, start);
  const double from = run.start + task.transient;
  std::optional<Observation> observation;
  if (!task.observed.empty())
    observation.emplace(instance.problem(), instance.observables(task.observed), task.options.sliding_rule);
  Observation* const observed = observation ? &*observation : nullptr;
  Extremes extremes(instance.system.states(), observed, from);
  SectionPoints section(task.section, instance.system, from);
  extremes.add(run.start, run.state);

  Deadline deadline(task.run_time_limit);
  Options options = task.options;
  options.recording = Recording::nothing;
  options.on_step = [&](const StepView& step) {
    if (cancelled) throw Cancelled{};
    deadline.check();
    extremes.add(step);
  };
  options.on_event = [&](const EventRecord& event) {
    ++row.counts[static_cast<std::size_t>(event.kind)];
    if (event.before.size() > 0) extremes.add(event.t, event.before);
    if (event.after.size() > 0) extremes.add(event.t, event.after);
    section.add(event);
    deadline.check();
  };
  Auditor auditor(written_model(task.model, task.plan.settings(row.run)), instance, options, task.audit);
  const Solution solution = Simulator(instance.problem(), auditor.listening(options)).run(run);

  row.status = to_string(solution.outcome.status);
  if (!solution.outcome.succeeded()) row.message = task.worded(solution.outcome.message);
  const AuditResult found = auditor.result();
  if (found.verdict != AuditVerdict::not_made) row.audit = to_string(found.verdict);
  if (row.message.empty() && !found.failures.empty())
    row.message = task.worded("audit: " + found.failures.front().text);
  if (deadline.is_over()) {
    row.status = SweepRow::time_limit;
    row.message = fmt::format(
        "the run took longer than {} s on the clock and came to t = {:.10g}; give it more "
        "(SweepOptions::run_time_limit)",
        *task.run_time_limit, solution.final.t);
    row.message = task.worded(row.message);
  }
  row.t = solution.final.t;
  row.mode = solution.final.mode.word();
  row.location = solution.final.location;
  const Vector& final = solution.final.state;
  row.final.assign(final.data(), final.data() + final.size());
  if (observed != nullptr) {
    const Vector& values =
        observed->at(solution.final.t, final, solution.final.mode, solution.final.location);
    row.final.insert(row.final.end(), values.data(), values.data() + values.size());
    extremes.add_observed(solution.final.t, values);
  }
  row.least = extremes.least();
  row.greatest = extremes.greatest();
  row.crossings = section.count();
  row.section_times = section.times();
  row.section = section.points();
}

}  // namespace

std::optional<SweepStart> end_of(const SweepRow& row, std::size_t states) {
  if (!row.succeeded()) return std::nullopt;
  return SweepStart{
      row.t, {row.final.begin(), row.final.begin() + static_cast<std::ptrdiff_t>(states)}, row.location};
}

std::optional<SweepRow> sweep_run(const SweepTask& task, Index run, const std::optional<SweepStart>& start,
                                  const std::atomic<bool>& cancelled) {
  SweepRow row;
  row.run = run;
  row.values = task.plan.values(run);
  row.direction = task.plan.direction(run);
  try {
    const ModelInstance instance = task.model.instantiate(task.plan.settings(run));
    if (instance.system.state_names() != task.states) {
      row.status = SweepRow::refused;
      row.message = fmt::format(
          "the table has columns for the {} states of the first run, and this one has {}; what changes "
          "their number takes a sweep for each of its values (SweepDesign::fixed)",
          task.states.size(), instance.system.states());
      row.message = task.worded(row.message);
    } else {
      follow(task, instance, start, cancelled, row);
    }
  } catch (const std::exception& error) {
    row.status = SweepRow::refused;
    row.message = task.worded(error.what());
  }
  if (cancelled) return std::nullopt;
  return row;
}

}  // namespace slideway
