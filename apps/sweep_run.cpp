#include "apps/sweep_run.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <deque>
#include <limits>

#include <fmt/format.h>

#include "apps/advice.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

struct Cancelled {};

// The least and greatest value of every state on the way: at five points of every step, and where three of them show that there is an
// extremum between them that may be beyond those known.
class Extremes {
 public:
  Extremes(Index states, double from) : from_(from), least_(states), greatest_(states) {}

  void add(double t, ConstVectorRef x) {
    if (t < from_) return;
    if (!any_) {
      least_ = greatest_ = x;
      any_ = true;
      return;
    }
    least_ = least_.cwiseMin(x);
    greatest_ = greatest_.cwiseMax(x);
  }

  void add(const StepView& step) {
    const double start = std::max(step.start, from_);
    if (!(step.end > start)) return;
    constexpr std::size_t points = 5;
    for (std::size_t k = 0; k < points; ++k) {
      times_[k] = k + 1 == points ? step.end : start + 0.25 * static_cast<double>(k) * (step.end - start);
      samples_[k].resize(least_.size());
      step.evaluate(times_[k], samples_[k]);
      add(times_[k], samples_[k]);
    }
    for (Index i = 0; i < least_.size(); ++i) {
      for (std::size_t k = 1; k + 1 < points; ++k) {
        // y = bend·τ² + slope·τ about the middle one of three neighbouring points, τ in units of their spacing.
        const double middle = samples_[k](i);
        const double bend = 0.5 * (samples_[k - 1](i) + samples_[k + 1](i)) - middle;
        const double slope = 0.5 * (samples_[k + 1](i) - samples_[k - 1](i));
        const double vertex = -0.5 * slope / bend;
        if (bend == 0 || std::abs(vertex) > 1) continue;
        const double extremum = middle + 0.5 * slope * vertex;
        // A bound on the distance between the curve and its parabola.
        const double doubt = kDoubt * std::abs(bend);
        if (extremum <= greatest_(i) - doubt && extremum >= least_(i) + doubt) continue;
        look_between(step, i, times_[k - 1], times_[k + 1], bend > 0 ? 1 : -1);
      }
    }
  }

  std::vector<double> least() const { return numbers(least_); }
  std::vector<double> greatest() const { return numbers(greatest_); }

 private:
  std::vector<double> numbers(const Vector& values) const {
    if (!any_) return {};
    return {values.data(), values.data() + values.size()};
  }

  static constexpr double kDoubt = 0.1;
  // Half of these bits of where a smooth extremum is are all of its value.
  static constexpr int kBits = std::numeric_limits<double>::digits / 2;

  // The least of sign·xᵢ.
  void look_between(const StepView& step, Index i, double from, double to, double sign) {
    inside_.resize(least_.size());
    const auto value = [&](double t) {
      step.evaluate(t, inside_);
      return sign * inside_(i);
    };
    const double lowest = sign * boost::math::tools::brent_find_minima(value, from, to, kBits).second;
    least_(i) = std::min(least_(i), lowest);
    greatest_(i) = std::max(greatest_(i), lowest);
  }

  double from_;
  bool any_ = false;
  Vector least_, greatest_, inside_;
  std::array<double, 5> times_{};
  std::array<Vector, 5> samples_;
};

class SectionPoints {
 public:
  SectionPoints(const std::optional<Section>& section, const System& system, double from)
      : section_(section), from_(from), points_(static_cast<std::size_t>(system.states())) {
    if (!section_) return;
    const auto& names = system.surface_names();
    const auto found = std::find(names.begin(), names.end(), section_->name);
    if (found != names.end()) surface_ = found - names.begin();
  }

  void add(const EventRecord& event) {
    if (!section_ || event.t < from_ || event.before.size() == 0 || !arrives(event)) return;
    ++count_;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i].push_back(event.before(static_cast<Index>(i)));
      if (static_cast<Index>(points_[i].size()) > section_->most) points_[i].pop_front();
    }
  }

  Index count() const { return count_; }
  std::vector<std::vector<double>> points() const {
    std::vector<std::vector<double>> result;
    for (const auto& states : points_) result.emplace_back(states.begin(), states.end());
    return result;
  }

 private:
  bool arrives(const EventRecord& event) const {
    if (event.name && *event.name == section_->name) return true;
    if (event.kind == EventKind::impact || event.kind == EventKind::contact) {
      const auto& names = event.surface_names;
      if (std::find(names.begin(), names.end(), section_->name) != names.end()) return true;
    }
    if (surface_ < 0 || !event.from || !event.to) return false;
    // Sliding begins with an arrival from the side that was left.
    const Side from = (*event.from)[surface_];
    const Side to = (*event.to)[surface_];
    const bool rises = from == Side::minus && to != Side::minus;
    const bool falls = from == Side::plus && to != Side::plus;
    switch (section_->direction) {
      case SectionDirection::rising: return rises;
      case SectionDirection::falling: return falls;
      default: return rises || falls;
    }
  }

  const std::optional<Section>& section_;
  double from_;
  Index surface_ = -1;
  Index count_ = 0;
  std::vector<std::deque<double>> points_;
};

void follow(const SweepTask& task, const ModelInstance& instance, const std::atomic<bool>& cancelled,
            SweepRow& row) {
  const double end = task.end.value_or(instance.end);
  const double from = instance.start + task.transient;
  Extremes extremes(instance.system.states(), from);
  SectionPoints section(task.section, instance.system, from);
  extremes.add(instance.start, instance.state);

  Options options = task.options;
  options.recording = Recording::nothing;
  options.on_step = [&](const StepView& step) {
    if (cancelled) throw Cancelled{};
    extremes.add(step);
  };
  options.on_event = [&](const EventRecord& event) {
    ++row.counts[static_cast<std::size_t>(event.kind)];
    if (event.before.size() > 0) extremes.add(event.t, event.before);
    if (event.after.size() > 0) extremes.add(event.t, event.after);
    section.add(event);
  };
  const Solution solution = Simulator(instance.problem(), options)
                                .run({.start = instance.start, .end = end, .state = instance.state});

  row.status = to_string(solution.outcome.status);
  if (!solution.outcome.succeeded()) row.message = told_to_user(solution.outcome.message);
  row.t = solution.final.t;
  row.mode = solution.final.mode.word();
  row.location = solution.final.location;
  const Vector& final = solution.final.state;
  row.final.assign(final.data(), final.data() + final.size());
  row.least = extremes.least();
  row.greatest = extremes.greatest();
  row.crossings = section.count();
  row.section = section.points();
}

}  // namespace

std::optional<SweepRow> sweep_run(const SweepTask& task, Index run, const std::atomic<bool>& cancelled) {
  SweepRow row;
  row.run = run;
  row.values = task.plan.values(run);
  try {
    const ModelInstance instance = task.model.instantiate(task.plan.settings(run));
    if (instance.system.state_names() != task.states) {
      row.status = SweepRow::refused;
      row.message = fmt::format(
          "the table has columns for the {} states of the first run, and this one has {}; what changes "
          "their number takes a sweep for each of its values (--set)",
          task.states.size(), instance.system.states());
    } else {
      follow(task, instance, cancelled, row);
    }
  } catch (const std::exception& error) {
    row.status = SweepRow::refused;
    row.message = told_to_user(error.what());
  }
  if (cancelled) return std::nullopt;
  return row;
}

}  // namespace slideway::apps
