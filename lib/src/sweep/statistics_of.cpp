#include "sweep/statistics_of.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>

#include "sweep/sweep_cells.hpp"

namespace slideway {

namespace {

// This many numbers are held at a time: 32 MB. A single column may be longer.
constexpr std::size_t kNumbersAtOnce = std::size_t{1} << 22;

// The value at a fraction of the way from the first to the last one, in order.
double quantile(std::vector<double>& values, double fraction) {
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(place));
  const auto found = values.begin() + below;
  std::nth_element(values.begin(), found, values.end());
  const double rest = place - static_cast<double>(below);
  if (rest == 0) return *found;
  const double above = *std::min_element(std::next(found), values.end());
  return std::lerp(*found, above, rest);
}

// Neumaier's sum, whose error does not grow with the number of values.
double mean_of(const std::vector<double>& values) {
  double sum = 0, lost = 0;
  for (const double value : values) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return (sum + lost) / static_cast<double>(values.size());
}

SweepColumnStatistics column_statistics(const std::string& column, std::vector<double>& values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  SweepColumnStatistics result{column, static_cast<Index>(values.size()), none, none, none, none, none, none};
  if (values.empty()) return result;
  result.mean = mean_of(values);
  result.lower_quartile = quantile(values, 0.25);
  result.median = quantile(values, 0.5);
  result.upper_quartile = quantile(values, 0.75);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  result.least = *least;
  result.greatest = *greatest;
  return result;
}

}  // namespace

SweepStatistics statistics_of(const RowStore& rows, const SweepTable& table,
                              const SweepTable::Selection& selection) {
  SweepTable::Selection wanted;
  for (const std::size_t column : table.numeric_columns())
    if (std::find(selection.begin(), selection.end(), column) != selection.end()) wanted.push_back(column);
  const std::vector<std::string> names = table.columns();
  const auto status =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "status") - names.begin());

  SweepStatistics result;
  const std::uint64_t now = rows.now();
  std::map<std::string, Index> statuses;
  rows.for_each(now, [&](const std::string& line) {
    ++result.runs;
    ++statuses[std::string(quoted_cells(line)[status])];
  });
  result.statuses.assign(statuses.begin(), statuses.end());

  const std::size_t at_once = std::max<std::size_t>(
      1, kNumbersAtOnce / std::max<std::size_t>(1, static_cast<std::size_t>(result.runs)));
  for (std::size_t first = 0; first < wanted.size(); first += at_once) {
    const std::size_t count = std::min(at_once, wanted.size() - first);
    std::vector<std::vector<double>> values(count);
    rows.for_each(now, [&](const std::string& line) {
      const std::vector<std::string_view> cells =
          quoted_cells(std::string_view(line).substr(0, line.size() - 1));
      if (!SweepRow::is_success(cells[status])) return;
      for (std::size_t k = 0; k < count; ++k) {
        const double value = number_of(std::string(cells[wanted[first + k]]));
        if (!std::isnan(value)) values[k].push_back(value);
      }
    });
    for (std::size_t k = 0; k < count; ++k)
      result.columns.push_back(column_statistics(names[wanted[first + k]], values[k]));
  }
  return result;
}

}  // namespace slideway
