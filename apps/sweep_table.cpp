#include "apps/sweep_table.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "apps/text.hpp"
#include "slideway/io/csv.hpp"

namespace slideway::apps {

namespace {

// The shortest text that reads back as the same double; nothing for what is not finite.
std::string number_cell(double value) {
  if (!std::isfinite(value)) return {};
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

// Line breaks become spaces, so that a row is a line.
std::string text_cell(std::string text) {
  for (char& character : text) {
    if (character == '\n' || character == '\r') character = ' ';
  }
  return csv_cell(text);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char character = line[k];
    if (quoted && character == '"' && k + 1 < line.size() && line[k + 1] == '"') {
      cells.back() += line[++k];
    } else if (character == '"') {
      quoted = !quoted;
    } else if (character == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += character;
    }
  }
  return cells;
}

double number_of(const std::string& cell) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto value = to_number<double>(cell);
  if (!value) throw std::invalid_argument("'" + cell + "' is not a number");
  return *value;
}

Index count_of(const std::string& cell) {
  const auto value = to_number<Index>(cell);
  if (!value) throw std::invalid_argument("'" + cell + "' is not a whole number");
  return *value;
}

std::vector<double> numbers_of(const std::string& cell) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin < cell.size();) {
    const std::size_t end = std::min(cell.find(' ', begin), cell.size());
    numbers.push_back(number_of(cell.substr(begin, end - begin)));
    begin = end + 1;
  }
  return numbers;
}

// The words of the column of that name: how a run ended, or that there was none.
std::string status_of(const std::string& cell) {
  constexpr int first = static_cast<int>(Status::reached_end);
  constexpr int last = static_cast<int>(Status::user_function_failed);
  for (int status = first; status <= last; ++status) {
    if (cell == to_string(static_cast<Status>(status))) return cell;
  }
  if (cell != SweepRow::refused) throw std::invalid_argument("'" + cell + "' is not how a run ends");
  return cell;
}

double entry(const std::vector<double>& numbers, std::size_t index) {
  return index < numbers.size() ? numbers[index] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

SweepTable::SweepTable(std::vector<std::string> axes, std::vector<std::string> states, bool with_section,
                       std::string fingerprint)
    : axes_(std::move(axes)),
      states_(std::move(states)),
      with_section_(with_section),
      fingerprint_(std::move(fingerprint)) {}

std::vector<std::string> SweepTable::columns() const {
  std::vector<std::string> names = {"run"};
  const auto per_state = [&](const std::string& prefix) {
    for (const std::string& state : states_) names.push_back(prefix + state);
  };
  names.insert(names.end(), axes_.begin(), axes_.end());
  names.insert(names.end(), {"status", "t", "mode", "location"});
  per_state("final_");
  names.emplace_back("events");
  for (std::size_t kind = 0; kind < event_kinds; ++kind)
    names.push_back(std::string("count_") + to_string(static_cast<EventKind>(kind)));
  per_state("min_");
  per_state("max_");
  if (with_section_) {
    names.emplace_back("crossings");
    per_state("section_");
  }
  names.insert(names.end(), {"message", "sweep"});
  return names;
}

std::string SweepTable::header() const {
  std::string text;
  for (const std::string& name : columns()) text += (text.empty() ? "" : ",") + text_cell(name);
  return text + '\n';
}

std::string SweepTable::line(const SweepRow& row) const {
  std::string text = fmt::format("{}", row.run);
  const auto add = [&](const std::string& cell) { (text += ',') += cell; };
  for (const double value : row.values) add(number_cell(value));
  add(row.status);
  add(number_cell(row.t));
  add(row.mode);
  add(text_cell(row.location));
  for (std::size_t i = 0; i < states_.size(); ++i) add(number_cell(entry(row.final, i)));
  Index events = 0;
  for (const Index count : row.counts) events += count;
  add(fmt::format("{}", events));
  for (const Index count : row.counts) add(fmt::format("{}", count));
  for (std::size_t i = 0; i < states_.size(); ++i) add(number_cell(entry(row.least, i)));
  for (std::size_t i = 0; i < states_.size(); ++i) add(number_cell(entry(row.greatest, i)));
  if (with_section_) {
    add(fmt::format("{}", row.crossings));
    for (std::size_t i = 0; i < states_.size(); ++i) {
      std::string cell;
      if (i < row.section.size()) {
        for (const double value : row.section[i]) (cell += cell.empty() ? "" : " ") += number_cell(value);
      }
      add(cell);
    }
  }
  add(text_cell(row.message));
  add(fingerprint_);
  return text + '\n';
}

SweepRow SweepTable::parse(const std::vector<std::string>& cells) const {
  std::size_t next = 0;
  const auto cell = [&]() -> const std::string& { return cells[next++]; };
  const auto per_state = [&](auto value_of) {
    std::vector<decltype(value_of(cell()))> values;
    for (std::size_t i = 0; i < states_.size(); ++i) values.push_back(value_of(cell()));
    return values;
  };
  SweepRow row;
  row.run = count_of(cell());
  for (std::size_t k = 0; k < axes_.size(); ++k) row.values.push_back(number_of(cell()));
  row.status = status_of(cell());
  row.t = number_of(cell());
  row.mode = cell();
  row.location = cell();
  row.final = per_state(number_of);
  cell();  // the sum of the counts
  for (Index& count : row.counts) count = count_of(cell());
  row.least = per_state(number_of);
  row.greatest = per_state(number_of);
  if (with_section_) {
    row.crossings = count_of(cell());
    row.section = per_state(numbers_of);
  }
  row.message = cell();
  return row;
}

std::size_t SweepTable::whole_lines(const std::string& text) { return text.rfind('\n') + 1; }

std::vector<SweepRow> SweepTable::read(const std::string& text) const {
  const std::string first = header();
  if (text.compare(0, first.size(), first) != 0)
    throw std::invalid_argument("its first line is not the one of this sweep");
  const std::size_t count = columns().size();
  std::vector<SweepRow> rows;
  for (std::size_t begin = first.size(); begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string number = std::to_string(rows.size() + 2);
    if (end == std::string::npos) throw std::invalid_argument("line " + number + " is not complete");
    const std::vector<std::string> cells = cells_of(text.substr(begin, end - begin));
    if (cells.size() != count)
      throw std::invalid_argument(
          fmt::format("line {} has {} cells instead of {}", number, cells.size(), count));
    if (cells.back() != fingerprint_)
      throw std::invalid_argument("line " + number +
                                  " comes from another model, other values or other options");
    try {
      rows.push_back(parse(cells));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("line " + number + ": " + error.what());
    }
    begin = end + 1;
  }
  return rows;
}

}  // namespace slideway::apps
