#include "apps/measurements_file.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "apps/text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"

namespace slideway::apps {

Measurements read_measurements(const std::string& path) {
  std::ifstream in(to_path(path));
  const auto refused = [&](const std::string& what, int line, const std::string& expected,
                           const std::string& got) {
    refuse({.what = what,
            .where = line > 0 ? fmt::format("'{}', line {}", path, line) : "'" + path + "'",
            .expected = expected,
            .got = got});
  };
  if (!in) refused("the measurements cannot be read", 0, "a file of comma-separated values", "none");
  Measurements result;
  std::vector<std::vector<double>> rows;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (trimmed(line).empty() || line.front() == '#') continue;
    std::vector<std::string> cells = split(line, ',');
    if (result.names.empty()) {
      if (cells.size() < 2) refused("a column is missing", number, "the time and what was measured", line);
      result.names.assign(cells.begin() + 1, cells.end());
      continue;
    }
    if (cells.size() != result.names.size() + 1)
      refused("a row has another number of cells", number, fmt::format("{}", result.names.size() + 1),
              fmt::format("{}", cells.size()));
    std::vector<double> row;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const bool is_missing = k > 0 && (cells[k].empty() || cells[k] == "nan" || cells[k] == "NaN");
      const auto value = to_number<double>(cells[k]);
      if (!is_missing && (!value || !std::isfinite(*value)))
        refused("a cell is no number", number,
                k == 0 ? "a time" : fmt::format("a number in the column '{}'", result.names[k - 1]),
                "'" + cells[k] + "'");
      row.push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : *value);
    }
    result.times.push_back(row.front());
    rows.push_back({row.begin() + 1, row.end()});
  }
  if (rows.empty()) refused("there are no measurements", 0, "a line of names, and rows below it", "none");
  result.values.resize(static_cast<Index>(result.names.size()), static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < result.names.size(); ++i)
      result.values(static_cast<Index>(i), static_cast<Index>(k)) = rows[k][i];
  return result;
}

}  // namespace slideway::apps
