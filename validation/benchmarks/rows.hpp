// The results of the benchmarks as a table, as CSV and as a work–precision picture.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "validation/benchmarks/measurement.hpp"

namespace slideway::benchmarks {

struct Row {
  std::string problem;  // the title of its case
  std::string who;
  std::string method;
  double rtol = 0;
  double epsilon = 0;  // of tanh, else 0
  std::string status;  // "" or why there is no result
  Measurement measurement = {};
  double error = NAN;  // of the final state, the largest entry
  bool is_bound =
      false;  // to slideway's error it takes at least `factor` as long: the error is larger, or there is no result
  double factor = NAN;  // the processor time in parts of slideway's at the same tolerance, or at equal error
};

inline std::string heading() {
  return fmt::format("  {:<9} {:<14} {:>6} {:>7} {:>9} {:>9} {:>9} {:>11} {:>8} {:>9} {:>7}\n", "who",
                     "method", "rtol", "events", "steps", "integr.f", "field", "cpu ms", "MiB", "error",
                     "time/ours");
}

inline std::string line(const Row& row) {
  const std::string begin = fmt::format("  {:<9} {:<14} {:>6.0e} ", row.who, row.method, row.rtol);
  const std::string epsilon = row.epsilon > 0 ? fmt::format("  epsilon {:.1e}", row.epsilon) : "";
  if (!row.status.empty()) {
    const std::string bound = row.is_bound ? fmt::format(": time/ours >= {:.1f}", row.factor) : "";
    return begin + row.status + bound + epsilon + "\n";
  }
  const Report& report = row.measurement.report;
  return begin + fmt::format("{:>7} {:>9} {:>9} {:>9} {:>11.3f} {:>8.1f} {:>9.1e} {:>7}{}\n", report.events,
                             report.steps, report.integrator_evaluations, report.field_evaluations,
                             1e3 * row.measurement.seconds, row.measurement.peak_mebibytes, row.error,
                             fmt::format("{}{:.2f}", row.is_bound ? ">=" : "", row.factor), epsilon);
}

inline std::string csv(const std::vector<Row>& rows) {
  std::string text =
      "problem,who,method,rtol,epsilon,status,events,steps,integrator_evaluations,field_evaluations,cpu_"
      "seconds,"
      "peak_mebibytes,error,factor,is_lower_bound\n";
  for (const Row& row : rows) {
    const Report& report = row.measurement.report;
    text += fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.problem, row.who,
                        row.method, row.rtol, row.epsilon, row.status, report.events, report.steps,
                        report.integrator_evaluations, report.field_evaluations, row.measurement.seconds,
                        row.measurement.peak_mebibytes, row.error, row.factor, row.is_bound);
  }
  return text;
}

// The script of gnuplot for a panel per problem, error against processor time, a line per contender.
inline std::string picture(const std::vector<Row>& rows) {
  std::vector<std::string> problems;
  for (const Row& row : rows) {
    const bool drawable = row.status.empty() && row.error > 0 && row.measurement.seconds > 0;
    if (drawable && std::find(problems.begin(), problems.end(), row.problem) == problems.end())
      problems.push_back(row.problem);
  }
  if (problems.empty()) return {};
  const std::size_t columns = std::min<std::size_t>(3, problems.size());
  const std::size_t lines = (problems.size() + columns - 1) / columns;
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic font 'sans,11'\nset logscale xy\nset format '10^{{%T}}'\n"
      "set grid lc rgb '#dddddd'\nset key outside bottom center horizontal samplen 2\n"
      "set xlabel 'error at the end'\nset ylabel 'processor seconds'\nset multiplot layout {},{}\n",
      420 * columns, 360 * lines, lines, columns);
  for (const std::string& problem : problems) {
    std::map<std::string, std::string> curves;
    for (const Row& row : rows) {
      if (row.problem != problem || !row.status.empty() || !(row.error > 0) || !(row.measurement.seconds > 0))
        continue;
      curves[row.who + " " + row.method] += fmt::format("{} {}\n", row.error, row.measurement.seconds);
    }
    script += fmt::format("set title '{}'\n", problem);
    std::string plots, data;
    int number = 0;
    for (const auto& [name, points] : curves) {
      ++number;
      plots += fmt::format("{}'-' with linespoints lt {} pt {} ps 0.6 title '{}'",
                           number > 1 ? ", " : "plot ", number, number, name);
      data += points + "e\n";
    }
    script += plots + "\n" + data;
  }
  return script + "unset multiplot\n";
}

}  // namespace slideway::benchmarks
