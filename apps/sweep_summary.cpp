#include "apps/sweep_summary.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

namespace slideway::apps {

namespace {

nlohmann::ordered_json number_or_null(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

}  // namespace

void print_statistics(const SweepResult& result, std::ostream& out) {
  const SweepStatistics& statistics = result.statistics;
  for (const auto& [status, count] : statistics.statuses) fmt::print(out, "{:<22}{:>9}\n", status, count);
  std::size_t width = 8;
  for (const SweepColumnStatistics& column : statistics.columns)
    width = std::max(width, column.column.size());
  fmt::print(out, "{:<{}}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "", width, "min", "1/4", "median", "mean",
             "3/4", "max");
  for (const SweepColumnStatistics& column : statistics.columns) {
    fmt::print(out, "{:<{}}", column.column, width);
    for (const double value : {column.least, column.lower_quartile, column.median, column.mean,
                               column.upper_quartile, column.greatest})
      fmt::print(out, "{:>12}", column.values > 0 ? fmt::format("{:.4g}", value) : "");
    fmt::print(out, "\n");
  }
  if (result.seconds > 0)
    fmt::print(out, "workers were at work for {:.1f} % of {:.3g} s\n",
               100 * result.seconds_at_work / result.seconds, result.seconds);
}

void write_statistics_json(const std::string& model, const SweepResult& result, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  Json statuses = Json::object();
  for (const auto& [status, count] : result.statistics.statuses) statuses[status] = count;
  Json columns = Json::array();
  for (const SweepColumnStatistics& column : result.statistics.columns) {
    columns.push_back({{"column", column.column},
                       {"values", column.values},
                       {"min", number_or_null(column.least)},
                       {"lower_quartile", number_or_null(column.lower_quartile)},
                       {"median", number_or_null(column.median)},
                       {"mean", number_or_null(column.mean)},
                       {"upper_quartile", number_or_null(column.upper_quartile)},
                       {"max", number_or_null(column.greatest)}});
  }
  const Json document = {
      {"schema", "slideway.sweep/1"}, {"model", model},       {"varied", result.axes}, {"runs", result.runs},
      {"done", result.done},          {"statuses", statuses}, {"columns", columns}};
  out << document.dump(2) << '\n';
}

}  // namespace slideway::apps
