#include "apps/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "apps/advice.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::apps {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTightest = 1e-12;
// The ratio of two neighbouring rows in a table of convergence.
constexpr double kLevelRatio = 4;
constexpr Index kPictureTimes = 1500;
constexpr double kRepeatSeconds = 1;

// The smallest tolerance that an approach is given where only its own parameter is to matter.
double tight(double rtol) { return std::max(1e-3 * rtol, kTightest); }

double one_digit(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  return std::round(value / unit) * unit;
}

class Bench {
 public:
  Bench(const ModelInstance& instance, const Options& options, const ComparisonPlan& plan)
      : instance_(instance), problem_(instance.problem()), options_(options) {
    result_.plan = plan;
    const System& system = problem_.system();
    if (system.surfaces() == 0) {
      refuse({.what = "there is nothing to compare: the model has no relay, no sgn, step or if",
              .where = "compare",
              .expected = "a model with switching surfaces"});
    }
    const auto& pattern = system.definition().field_dx_pattern;
    jacobian_cost_ = pattern ? colour_columns(*pattern).colours : system.states();
    options_.recording = Recording::nothing;
    options_.on_ambiguity =
        options.on_ambiguity == Ambiguity::branches ? Ambiguity::stop : options.on_ambiguity;
    options_.sliding_rule = SlidingRule::filippov;
  }

  Comparison measure() {
    find_reference();
    choose_parameters();
    const ComparisonPlan& plan = result_.plan;
    const Setting usual{*plan.epsilon, *plan.step, options_.rtol};
    for (const Approach approach :
         {Approach::filippov, Approach::equivalent_control, Approach::hysteresis, Approach::smoothing,
          Approach::naive_bdf, Approach::naive_dopri5, Approach::euler, Approach::algorithm_1}) {
      Attempt attempt = try_out(approach, usual, true);
      if (approach == Approach::equivalent_control && !differs(attempt)) continue;
      result_.attempts.push_back(std::move(attempt));
    }
    if (plan.levels >= 2) {
      for (const Approach approach :
           {Approach::hysteresis, Approach::smoothing, Approach::euler, Approach::algorithm_1})
        add_convergence(approach);
    }
    if (plan.target) {
      for (const Approach approach :
           {Approach::filippov, Approach::hysteresis, Approach::smoothing, Approach::naive_bdf,
            Approach::naive_dopri5, Approach::euler, Approach::algorithm_1})
        add_equal_error(approach);
    }
    return std::move(result_);
  }

 private:
  Run whole_run() const { return {.start = instance_.start, .end = result_.end, .state = instance_.state}; }

  // The reference is had twice: first to see how far it goes and what it meets, then at the times that follow from that.
  void find_reference() {
    Options tight_options = options_;
    result_.reference_rtol = std::max(1e-3 * options_.rtol, kTightest);
    if (result_.plan.target)
      result_.reference_rtol = std::clamp(1e-4 * *result_.plan.target, kTightest, result_.reference_rtol);
    tight_options.rtol = result_.reference_rtol;
    tight_options.atol = tightened_atol(result_.reference_rtol);
    result_.end = instance_.end;
    const Solution first = Simulator(problem_, tight_options).run(whole_run());
    result_.reference_outcome = first.outcome;
    result_.reference_outcome.message = told_to_user(first.outcome.message);
    result_.end = first.outcome.t;
    if (!(result_.end > instance_.start)) {
      refuse({.what = "there is no solution to compare with beyond the start",
              .where = "compare",
              .expected = "a model whose run goes on",
              .got = result_.reference_outcome.message});
    }
    choose_times(first);
    tight_options.output_times = result_.times;
    result_.reference = Simulator(problem_, tight_options).run(whole_run()).outputs;
    // An event just before the end may leave the last of them out.
    if (!result_.reference.rightCols(1).allFinite()) result_.reference.rightCols(1) = first.final.state;
    result_.sizes = result_.reference.cwiseAbs().rowwise().maxCoeff();
    for (double& size : result_.sizes) {
      if (!(size > 0)) size = 1;
    }
  }

  // A stretch of time at the first sliding, or else at the first event, looked at closely.
  void choose_times(const Solution& first) {
    const double start = instance_.start;
    const double duration = result_.end - start;
    double centre = start + 0.5 * duration;
    const auto sliding = std::find_if(first.events.begin(), first.events.end(), [](const EventRecord& event) {
      return event.kind == EventKind::sliding_entry && !event.surfaces.empty();
    });
    const auto event = sliding != first.events.end()
                           ? sliding
                           : std::find_if(first.events.begin(), first.events.end(),
                                          [](const EventRecord& any) { return !any.surfaces.empty(); });
    if (event != first.events.end()) {
      centre = event->t;
      result_.watched = std::min(event->surfaces.front(), problem_.system().surfaces() - 1);
    }
    const double step = result_.plan.step.value_or(duration / 2400);
    const double width = std::min(duration, std::max(duration / 50, 24 * step));
    result_.zoom_from = std::clamp(centre - 0.15 * width, start, result_.end - width);
    result_.zoom_to = result_.zoom_from + width;

    const Index checkpoints = result_.plan.checkpoints;
    for (Index k = 1; k <= checkpoints; ++k) {
      result_.checkpoints.push_back(k == checkpoints ? result_.end
                                                     : start + duration * static_cast<double>(k) /
                                                                   static_cast<double>(checkpoints));
    }
    result_.times = result_.checkpoints;
    for (Index k = 0; k <= kPictureTimes; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(kPictureTimes);
      result_.times.push_back(std::min(start + part * duration, result_.end));
      result_.times.push_back(std::min(result_.zoom_from + part * width, result_.end));
    }
    std::sort(result_.times.begin(), result_.times.end());
    result_.times.erase(std::unique(result_.times.begin(), result_.times.end()), result_.times.end());
  }

  void choose_parameters() {
    ComparisonPlan& plan = result_.plan;
    const double length = result_.end - instance_.start;
    if (plan.step && *plan.step > length) {
      refuse({.what = "the step is longer than the run",
              .where = "--step",
              .expected = fmt::format("at most {:.6g}", length),
              .got = fmt::format("{:.6g}", *plan.step)});
    }
    if (!plan.step) plan.step = length / 2400;
    if (plan.epsilon) return;
    const System& system = problem_.system();
    Vector guards(system.surfaces());
    Vector sizes = Vector::Zero(system.surfaces());
    for (Index k = 0; k < result_.reference.cols(); ++k) {
      system.guards(result_.times[static_cast<std::size_t>(k)], result_.reference.col(k), guards);
      sizes = sizes.cwiseMax(guards.cwiseAbs());
    }
    double smallest = std::numeric_limits<double>::infinity();
    for (const double size : sizes) {
      if (size > 1e-9 * sizes.maxCoeff()) smallest = std::min(smallest, size);
    }
    plan.epsilon = std::isfinite(smallest) && smallest > 0 ? one_digit(1e-3 * smallest) : 1e-3;
  }

  Tolerance tightened_atol(double rtol) const {
    if (options_.atol.is_default()) return {};
    return Vector(options_.atol.values() * (rtol / options_.rtol));
  }

  Solution follow(Approach approach, const Setting& setting, const std::vector<double>& times) const {
    Options options = options_;
    options.rtol = setting.rtol;
    options.atol = tightened_atol(setting.rtol);
    options.output_times = times;
    // An implicit or a one-step method takes about so many evaluations for each step.
    options.max_steps = std::max<std::int64_t>(result_.plan.most_evaluations / 4, 1);
    options.max_events = std::max<std::int64_t>(result_.plan.most_evaluations / 8, 1000);
    const FixedSteps steps{setting.step, result_.plan.bisections};
    const Run run = whole_run();
    switch (approach) {
      case Approach::filippov: return Simulator(problem_, options).run(run);
      case Approach::equivalent_control:
        options.sliding_rule = SlidingRule::equivalent_control;
        return Simulator(problem_, options).run(run);
      case Approach::hysteresis: return run_with_hysteresis(problem_.system(), options, run, setting.epsilon);
      case Approach::smoothing: return Simulator(smoothed(problem_, setting.epsilon), options).run(run);
      case Approach::naive_bdf:
        options.method = Method::bdf;
        return Simulator(with_bare_signs(problem_), options).run(run);
      case Approach::naive_dopri5:
        options.method = Method::dopri5;
        return Simulator(with_bare_signs(problem_), options).run(run);
      case Approach::euler: options.max_steps *= 4; return run_euler(problem_.system(), options, run, steps);
      case Approach::algorithm_1:
        options.max_steps *= 2;
        return run_algorithm_1(problem_.system(), options, run, steps);
    }
    return {};
  }

  std::string obstacle(Approach approach) const {
    if (approach == Approach::hysteresis || has_step(approach)) return obstacle_to_relays_alone(problem_);
    if (approach == Approach::filippov || approach == Approach::equivalent_control) return "";
    return obstacle_to_replaced_relays(problem_);
  }

  double error(ConstVectorRef state, ConstVectorRef reference) const {
    return (state - reference).cwiseAbs().cwiseQuotient(result_.sizes).maxCoeff();
  }

  // Runs it, and for a time that means something runs it again, without outputs.
  Attempt try_out(Approach approach, const Setting& setting, bool for_picture) const {
    Attempt attempt;
    attempt.approach = approach;
    attempt.setting = setting;
    attempt.obstacle = obstacle(approach);
    attempt.final_error = attempt.largest_error = kNaN;
    if (!attempt.obstacle.empty()) return attempt;
    const std::vector<double>& times = for_picture ? result_.times : result_.checkpoints;
    Solution solution = follow(approach, setting, times);
    attempt.outcome = solution.outcome;
    attempt.outcome.message = told_to_comparer(attempt.outcome);
    attempt.statistics = solution.statistics;
    attempt.final = solution.final.state;
    attempt.outputs = std::move(solution.outputs);
    attempt.evaluations =
        attempt.statistics.field_evaluations + jacobian_cost_ * attempt.statistics.jacobian_evaluations;
    judge(attempt, times);
    std::vector<double> seconds = {solution.statistics.wall_seconds};
    if (for_picture && seconds.front() < kRepeatSeconds) {
      seconds.clear();
      double total = 0;
      while (static_cast<Index>(seconds.size()) < std::max<Index>(result_.plan.repeats, 1)) {
        seconds.push_back(follow(approach, setting, {}).statistics.wall_seconds);
        total += seconds.back();
        if (total > kRepeatSeconds) break;
      }
    }
    attempt.repeats = static_cast<Index>(seconds.size());
    std::nth_element(seconds.begin(), seconds.begin() + attempt.repeats / 2, seconds.end());
    attempt.wall_median = seconds[static_cast<std::size_t>(attempt.repeats / 2)];
    return attempt;
  }

  void judge(Attempt& attempt, const std::vector<double>& times) const {
    std::size_t at = 0;
    std::size_t reference_at = 0;
    for (const double checkpoint : result_.checkpoints) {
      while (times[at] < checkpoint) ++at;
      while (result_.times[reference_at] < checkpoint) ++reference_at;
      const auto column = static_cast<Index>(at);
      const double value =
          attempt.outputs.col(column).allFinite()
              ? error(attempt.outputs.col(column), result_.reference.col(static_cast<Index>(reference_at)))
              : kNaN;
      attempt.errors.push_back(value);
      attempt.largest_error = std::fmax(attempt.largest_error, value);
    }
    if (attempt.outcome.succeeded() && attempt.final.allFinite())
      attempt.final_error = error(attempt.final, result_.reference.rightCols(1));
    // The largest over a part of the way is not comparable.
    const double short_of_end = result_.end - attempt.outcome.t;
    if (!attempt.outcome.succeeded() && short_of_end > 1e-6 * (result_.end - instance_.start))
      attempt.largest_error = kNaN;
  }

  bool differs(const Attempt& attempt) {
    const Attempt& filippov = result_.attempts.front();
    double difference = attempt.outcome.succeeded() == filippov.outcome.succeeded() ? 0 : kNaN;
    for (Index k = 0; k < attempt.outputs.cols(); ++k) {
      if (attempt.outputs.col(k).allFinite() && filippov.outputs.col(k).allFinite())
        difference = std::fmax(difference, error(attempt.outputs.col(k), filippov.outputs.col(k)));
    }
    result_.equivalent_control_differs = difference;
    return !(difference <= 100 * options_.rtol);
  }

  // An error as large as the solution, or as small as what the integrators leave, is the same for any ε or ΔT.
  bool tells_order(const Level& level) const {
    const double left_over = 10 * std::max(tight(options_.rtol), result_.reference_rtol);
    return level.largest_error > left_over && level.largest_error < 0.5;
  }

  void add_convergence(Approach approach) {
    if (!obstacle(approach).empty()) return;
    const bool by_epsilon = has_epsilon(approach);
    Convergence table;
    table.approach = approach;
    double parameter = by_epsilon ? *result_.plan.epsilon : *result_.plan.step;
    for (Index k = 0; k < result_.plan.levels; ++k, parameter /= kLevelRatio) {
      const Attempt attempt = try_out(approach, {parameter, parameter, tight(options_.rtol)}, false);
      if (!attempt.outcome.succeeded()) {
        result_.convergence_stops.push_back({approach, parameter, attempt.outcome});
        break;
      }
      Level level{parameter,           attempt.largest_error,     attempt.final_error,
                  attempt.evaluations, attempt.statistics.events, kNaN};
      if (!table.levels.empty()) {
        const Level& before = table.levels.back();
        if (tells_order(before) && tells_order(level))
          level.order =
              std::log(before.largest_error / level.largest_error) / std::log(before.parameter / parameter);
      }
      table.levels.push_back(level);
    }
    if (table.levels.size() < 2) return;
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    const auto count = static_cast<double>(std::count_if(
        table.levels.begin(), table.levels.end(), [&](const Level& level) { return tells_order(level); }));
    for (const Level& level : table.levels) {
      if (!tells_order(level)) continue;
      mean_x += std::log(level.parameter) / count;
      mean_y += std::log(level.largest_error) / count;
    }
    for (const Level& level : table.levels) {
      if (!tells_order(level)) continue;
      xx += std::pow(std::log(level.parameter) - mean_x, 2);
      xy += (std::log(level.parameter) - mean_x) * (std::log(level.largest_error) - mean_y);
    }
    table.order = count >= 2 ? xy / xx : kNaN;
    result_.convergence.push_back(std::move(table));
  }

  // Makes one parameter smaller until the error at the end is small enough, by what the last error promises of a method of
  // first order. The last attempt is the one that is, or the best that the evaluations allow.
  EqualError shrink(Approach approach, Setting setting, double Setting::*parameter, double target) const {
    EqualError best;
    double smallest = std::numeric_limits<double>::infinity();
    while (true) {
      Attempt attempt = try_out(approach, setting, false);
      const double got = attempt.final_error;
      const bool reached = got <= target;
      const std::int64_t evaluations = attempt.evaluations;
      const bool ran = attempt.outcome.succeeded();
      if (reached || got < smallest || best.attempt.evaluations == 0) {
        if (std::isfinite(got)) smallest = std::min(smallest, got);
        best = {std::move(attempt), reached};
      }
      const double factor = std::isfinite(got) ? std::clamp(0.9 * target / got, 0.05, 0.5) : 0.1;
      setting.*parameter *= factor;
      const bool affordable = static_cast<double>(evaluations) / factor <
                              1.5 * static_cast<double>(result_.plan.most_evaluations);
      if (reached || !ran || !affordable || setting.*parameter < 1e-15) return best;
    }
  }

  // The cheapest of all looser tolerances that keep the error.
  EqualError loosen(EqualError found, double target) const {
    if (!found.reached) return found;
    for (Setting setting = found.attempt.setting; setting.rtol < 1e-2;) {
      setting.rtol *= std::sqrt(10.0);
      Attempt attempt = try_out(found.attempt.approach, setting, false);
      const bool reached = attempt.final_error <= target;
      if (reached && attempt.evaluations < found.attempt.evaluations) found.attempt = std::move(attempt);
    }
    return found;
  }

  EqualError tightest_needed(Approach approach, double target) const {
    EqualError best;
    for (int decade = 2; decade <= 13; ++decade) {
      Attempt attempt = try_out(approach, {0, 0, std::pow(10.0, -decade)}, false);
      const bool reached = attempt.final_error <= target;
      const bool ran = attempt.outcome.succeeded();
      if (reached || best.attempt.evaluations == 0 || attempt.final_error < best.attempt.final_error)
        best = {std::move(attempt), reached};
      if (reached || !ran) break;
    }
    return best;
  }

  void add_equal_error(Approach approach) {
    if (!obstacle(approach).empty()) return;
    const double target = *result_.plan.target;
    const Setting first{*result_.plan.epsilon, *result_.plan.step, std::max(1e-3 * target, kTightest)};
    EqualError found;
    switch (approach) {
      case Approach::hysteresis:
      case Approach::smoothing:
        found = loosen(shrink(approach, first, &Setting::epsilon, 0.5 * target), target);
        break;
      case Approach::euler:
      case Approach::algorithm_1: found = shrink(approach, first, &Setting::step, target); break;
      default: found = tightest_needed(approach, target);
    }
    result_.equal_error.push_back(std::move(found));
  }

  const ModelInstance& instance_;
  Automaton problem_;
  Options options_;
  std::int64_t jacobian_cost_ = 1;
  Comparison result_;
};

}  // namespace

bool has_step(Approach approach) { return approach == Approach::euler || approach == Approach::algorithm_1; }
bool has_epsilon(Approach approach) {
  return approach == Approach::hysteresis || approach == Approach::smoothing;
}

const char* to_string(Approach approach) {
  switch (approach) {
    case Approach::filippov: return "filippov";
    case Approach::equivalent_control: return "equivalent control";
    case Approach::hysteresis: return "hysteresis";
    case Approach::smoothing: return "smoothing";
    case Approach::naive_bdf: return "naive bdf";
    case Approach::naive_dopri5: return "naive dopri5";
    case Approach::euler: return "euler";
    case Approach::algorithm_1: return "algorithm 1";
  }
  return "?";
}

Comparison compare_approaches(const ModelInstance& instance, const Options& options,
                              const ComparisonPlan& plan) {
  return Bench(instance, options, plan).measure();
}

}  // namespace slideway::apps
