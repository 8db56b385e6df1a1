#include "apps/comparison_text.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/layout.hpp"

namespace slideway::apps {

namespace {

using Row = std::vector<std::string>;

// Columns of numbers stand to the right.
void print_rows(const std::vector<Row>& rows, std::size_t words, const Screen& screen, std::ostream& out) {
  std::vector<Table::Column> columns;
  for (const std::string& title : rows.front())
    columns.push_back({.title = title,
                       .align = columns.size() < words ? Align::left : Align::right,
                       .whole = columns.size() >= words});
  Table table(std::move(columns));
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  table.print(out, screen.width, screen.colours);
}

std::string error_text(double error) { return std::isfinite(error) ? fmt::format("{:.1e}", error) : "–"; }

std::string milliseconds(double seconds) { return fmt::format("{:.3g}", 1e3 * seconds); }

Row attempt_row(const Attempt& attempt, const ComparisonPlan& plan) {
  if (!attempt.obstacle.empty()) return {to_string(attempt.approach), attempt.obstacle};
  const bool fixed = has_step(attempt.approach);
  return {to_string(attempt.approach),
          setting_text(attempt, plan),
          error_text(attempt.final_error),
          error_text(attempt.largest_error),
          fmt::format("{}", attempt.evaluations),
          fmt::format("{}", attempt.statistics.steps),
          fixed || attempt.approach == Approach::filippov || attempt.approach == Approach::hysteresis ||
                  attempt.approach == Approach::equivalent_control || attempt.statistics.events > 0
              ? fmt::format("{}", attempt.statistics.events)
              : "–",
          milliseconds(attempt.wall_median)};
}

const std::vector<std::string> attempt_heading = {
    "method", "setting", "error at end", "largest", "field evaluations", "steps", "events", "ms"};

std::string order_text(double order) { return std::isfinite(order) ? fmt::format("{:.2f}", order) : "–"; }

void print_orders(const Comparison& comparison, const Screen& screen, std::ostream& out) {
  for (const Convergence& table : comparison.convergence) {
    fmt::print(out, "\n{}: {} → 0, observed order {}\n", to_string(table.approach),
               has_epsilon(table.approach) ? "eps" : "dT", order_text(table.order));
    std::vector<Row> rows = {{has_epsilon(table.approach) ? "eps" : "dT", "largest error", "order",
                              "error at end", "field evaluations", "events"}};
    for (const Level& level : table.levels) {
      rows.push_back({fmt::format("{:.3g}", level.parameter), error_text(level.largest_error),
                      &level == &table.levels.front() ? "" : order_text(level.order),
                      error_text(level.final_error), fmt::format("{}", level.evaluations),
                      table.approach == Approach::smoothing ? "–" : fmt::format("{}", level.events)});
    }
    print_rows(rows, 1, screen, out);
  }
  if (!comparison.convergence_stops.empty()) fmt::print(out, "\n");
  for (const ConvergenceStop& stop : comparison.convergence_stops)
    fmt::print(out, "No convergence of {} from {} = {:.3g} on: {} at t = {:.10g}: {}\n",
               to_string(stop.approach), has_epsilon(stop.approach) ? "eps" : "dT", stop.parameter,
               to_string(stop.outcome.status), stop.outcome.t, stop.outcome.message);
}

void print_equal_error(const Comparison& comparison, const Screen& screen, std::ostream& out) {
  if (comparison.equal_error.empty()) return;
  fmt::print(out, "\nAt equal error: {:.1e} at t = {:.6g}\n", *comparison.plan.target, comparison.end);
  std::vector<Row> rows = {
      {"method", "setting", "error at end", "field evaluations", "ratio", "steps", "ms"}};
  const EqualError& first = comparison.equal_error.front();
  for (const EqualError& found : comparison.equal_error) {
    const Attempt& attempt = found.attempt;
    const double ratio =
        static_cast<double>(attempt.evaluations) / static_cast<double>(first.attempt.evaluations);
    rows.push_back({to_string(attempt.approach), setting_text(attempt, comparison.plan),
                    error_text(attempt.final_error),
                    fmt::format("{}{}", found.reached ? "" : "> ", attempt.evaluations),
                    fmt::format("{}{:.3g}", found.reached ? "" : "> ", ratio),
                    fmt::format("{}", attempt.statistics.steps), milliseconds(attempt.wall_median)});
  }
  print_rows(rows, 2, screen, out);
  const bool all = std::all_of(comparison.equal_error.begin(), comparison.equal_error.end(),
                               [](const EqualError& found) { return found.reached; });
  if (!all)
    fmt::print(out,
               "Where an error is larger, it is the least that {} field evaluations of one run, or the "
               "method, gave.\n",
               comparison.plan.most_evaluations);
}

}  // namespace

std::string setting_text(const Attempt& attempt, const ComparisonPlan& plan) {
  const Setting& setting = attempt.setting;
  std::string text;
  if (has_epsilon(attempt.approach)) text = fmt::format("eps {:.3g}  ", setting.epsilon);
  if (has_step(attempt.approach)) {
    text = fmt::format("dT {:.3g}", setting.step);
    if (attempt.approach == Approach::algorithm_1) text += fmt::format("  {} bisections", plan.bisections);
    return text;
  }
  return text + fmt::format("rtol {:.1e}", setting.rtol);
}

void print_comparison(const ComparedModel& model, const Comparison& comparison,
                      const std::vector<std::string>& written, const Screen& screen, std::ostream& out) {
  const ComparisonPlan& plan = comparison.plan;
  fmt::print(
      out,
      "{}{}{}   t = {:.6g} … {:.6g}   {}   errors at {} checkpoints, relative to the size of each state\n\n",
      screen.colours ? "\033[1m" : "", model.name, screen.colours ? "\033[0m" : "", model.instance.start,
      comparison.end, to_string(model.options.method), plan.checkpoints);
  std::vector<Row> rows = {attempt_heading};
  for (const Attempt& attempt : comparison.attempts) {
    if (attempt.obstacle.empty()) rows.push_back(attempt_row(attempt, plan));
  }
  print_rows(rows, 2, screen, out);

  fmt::print(out, "\nThe errors are those to Filippov's solution at rtol {:.1e}.\n",
             comparison.reference_rtol);
  if (!comparison.reference_outcome.reached_end())
    fmt::print(out, "That solution ends before: {} at t = {:.10g}{}{}\n",
               to_string(comparison.reference_outcome.status), comparison.reference_outcome.t,
               comparison.reference_outcome.message.empty() ? "" : ": ",
               comparison.reference_outcome.message);
  const double difference = comparison.equivalent_control_differs;
  if (!std::isfinite(difference))
    fmt::print(out, "Utkin's equivalent control did not end as Filippov's solution did.\n");
  else if (std::none_of(comparison.attempts.begin(), comparison.attempts.end(), [](const Attempt& attempt) {
             return attempt.approach == Approach::equivalent_control;
           }))
    fmt::print(out, "Utkin's equivalent control is Filippov's solution here (largest difference {:.1e}).\n",
               difference);
  for (const Attempt& attempt : comparison.attempts) {
    if (!attempt.obstacle.empty())
      fmt::print(out, "{} cannot follow this model: {}.\n", to_string(attempt.approach), attempt.obstacle);
    else if (!attempt.outcome.succeeded())
      fmt::print(out, "{} stopped: {} at t = {:.10g}: {}\n", to_string(attempt.approach),
                 to_string(attempt.outcome.status), attempt.outcome.t, attempt.outcome.message);
  }
  print_orders(comparison, screen, out);
  print_equal_error(comparison, screen, out);
  if (!written.empty()) fmt::print(out, "\nwritten       {}\n", fmt::join(written, ", "));
}

}  // namespace slideway::apps
