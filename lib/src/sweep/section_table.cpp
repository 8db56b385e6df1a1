#include "sweep/section_table.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "sweep/sweep_cells.hpp"

namespace slideway {

SectionTable::SectionTable(const SweepColumns& columns, std::string fingerprint)
    : axes_(columns.axes.size()),
      states_(columns.states.size()),
      with_direction_(columns.with_direction),
      fingerprint_(std::move(fingerprint)) {
  std::vector<std::string> names = {"run"};
  for (const std::string& axis : columns.axes) {
    // The state of this name has a column, too.
    const bool is_state =
        std::find(columns.states.begin(), columns.states.end(), axis) != columns.states.end();
    names.push_back(is_state ? "initial_" + axis : axis);
  }
  if (with_direction_) names.emplace_back("direction");
  names.insert(names.end(), {"point", "t"});
  names.insert(names.end(), columns.states.begin(), columns.states.end());
  names.emplace_back("sweep");
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1)
      refuse({.what = "two columns of the table of points would have one name",
              .where = "SweepOptions::points",
              .expected = "parameters and states with other names",
              .got = "'" + name + "'"});
    header_ += (header_.empty() ? "" : ",") + text_cell(name);
  }
  header_ += '\n';
}

std::string SectionTable::lines(const SweepRow& row) const {
  std::string beginning = fmt::format("{}", row.run);
  for (const double value : row.values) beginning += ',' + number_cell(value);
  if (with_direction_) beginning += ',' + row.direction;
  std::string text;
  const auto kept = static_cast<Index>(row.section_times.size());
  for (Index k = 0; k < kept; ++k) {
    const auto point = static_cast<std::size_t>(k);
    text += fmt::format("{},{},{}", beginning, row.crossings - kept + k + 1,
                        number_cell(row.section_times[point]));
    for (const std::vector<double>& state : row.section) text += ',' + number_cell(state[point]);
    text += ',' + fingerprint_ + '\n';
  }
  return text;
}

void SectionTable::read(const std::string& text, std::map<Index, Points>& points) const {
  if (!is_own(text)) throw std::invalid_argument("its first line is not the one of this sweep");
  const std::size_t count = axes_ + states_ + (with_direction_ ? 5 : 4);
  std::size_t number = 1;
  for (std::size_t begin = header_.size(); begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::vector<std::string_view> cells =
        quoted_cells(std::string_view(text).substr(begin, end - begin));
    ++number;
    if (cells.size() != count)
      throw std::invalid_argument(
          fmt::format("line {} has {} cells instead of {}", number, cells.size(), count));
    if (cells.back() != fingerprint_)
      throw std::invalid_argument(
          fmt::format("line {}: it comes from another model, other values or other options", number));
    try {
      Points& run = points[count_of(unquoted(cells[0]))];
      run.states.resize(states_);
      const std::size_t first = count - states_ - 3;
      run.numbers.push_back(count_of(unquoted(cells[first])));
      run.times.push_back(number_of(unquoted(cells[first + 1])));
      for (std::size_t i = 0; i < states_; ++i)
        run.states[i].push_back(number_of(unquoted(cells[first + 2 + i])));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
    }
    begin = end + 1;
  }
}

bool SectionTable::complete(SweepRow& row, const std::map<Index, Points>& points, Index most) {
  const Index kept = std::min(row.crossings, most);
  const auto found = points.find(row.run);
  if (found == points.end()) return kept == 0;
  const std::vector<Index>& numbers = found->second.numbers;
  if (static_cast<Index>(numbers.size()) != kept) return false;
  for (Index k = 0; k < kept; ++k)
    if (numbers[static_cast<std::size_t>(k)] != row.crossings - kept + k + 1) return false;
  row.section_times = found->second.times;
  row.section = found->second.states;
  return true;
}

}  // namespace slideway
