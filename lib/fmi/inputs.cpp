#include "lib/fmi/inputs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

// The cells of a row. A cell in quotes may hold commas, and two quotes there are one.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  for (std::string& cell : cells) {
    const std::size_t begin = cell.find_first_not_of(" \t");
    cell = begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
  }
  return cells;
}

const Variable& input_named(const std::string& name, const Description& about, const std::string& file) {
  std::vector<std::string> names;
  for (const Variable& one : about.variables) {
    if (one.role == Role::structural && one.name == name)
      refuse({.what = "a structural parameter keeps its value along a run: no column is for it",
              .where = file,
              .expected = "a start value",
              .got = "'" + name + "'"});
    if ((one.role != Role::input && !one.is_tunable) || one.type == Type::text || one.type == Type::binary)
      continue;
    if (one.name == name) return one;
    names.push_back("'" + one.name + "'");
  }
  refuse({.what = "a column is neither an input of the FMU nor a tunable parameter",
          .where = file,
          .expected = names.empty() ? "no columns, since the FMU has neither"
                                    : fmt::format("{}", fmt::join(names, ", ")),
          .got = "'" + name + "'"});
}

}  // namespace

Inputs::Inputs(const std::string& file, const Description& about) {
  std::ifstream stream(file);
  if (!stream) refuse({.what = "the inputs cannot be read", .where = file, .expected = "a file"});
  std::string line;
  std::size_t number = 0;
  while (std::getline(stream, line)) {
    ++number;
    if (cells_of(line).size() == 1 && cells_of(line).front().empty()) continue;
    if (!columns_.empty()) {
      take_row(line, number, file);
      continue;
    }
    const std::vector<std::string> header = cells_of(line);
    if (header.front() != "time" || header.size() < 2)
      refuse({.what = "this is no table of inputs",
              .where = fmt::format("{}, row {}", file, number),
              .expected = "a header such as time,u,v",
              .got = "'" + line.substr(0, line.find('\r')) + "'"});
    for (std::size_t k = 1; k < header.size(); ++k)
      columns_.push_back({.variable = &input_named(header[k], about, file)});
  }
  if (times_.empty()) refuse({.what = "the inputs have no rows", .where = file, .expected = "one at least"});
  find_pieces();
}

void Inputs::take_row(const std::string& line, std::size_t number, const std::string& file) {
  const std::vector<std::string> cells = cells_of(line);
  const std::string where = fmt::format("{}, row {}", file, number);
  if (cells.size() != columns_.size() + 1)
    refuse({.what = "a row has another number of cells than the header",
            .where = where,
            .expected = fmt::format("{}", columns_.size() + 1),
            .got = fmt::format("{}", cells.size())});
  const auto number_of = [&](const std::string& cell) {
    if (cell == "true" || cell == "false") return cell == "true" ? 1.0 : 0.0;
    double value = 0;
    const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
      refuse(
          {.what = "a cell is no number", .where = where, .expected = "a number", .got = "'" + cell + "'"});
    return value;
  };
  const double time = number_of(cells.front());
  if (!times_.empty() && time < times_.back())
    refuse({.what = "the times of the inputs decrease",
            .where = where,
            .expected = fmt::format("a time from {} on", times_.back()),
            .got = fmt::format("{}", time)});
  times_.push_back(time);
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].values.push_back(number_of(cells[k + 1]));
}

void Inputs::find_pieces() {
  pieces_ = {{}};
  for (std::size_t row = 1; row < times_.size(); ++row) {
    const auto is_held = [&](const Column& column) {
      return !column.variable->is_continuous && column.values[row] != column.values[row - 1];
    };
    const bool repeats = times_[row] == times_[row - 1];
    const bool jumps = repeats || std::any_of(columns_.begin(), columns_.end(), is_held);
    if (!jumps) {
      pieces_.back().last = row;
      continue;
    }
    // Of more than two rows with one time the last one holds.
    if (repeats && !jumps_.empty() && jumps_.back() == times_[row]) {
      pieces_.back() = {row, row};
      continue;
    }
    if (!repeats) pieces_.back().last = row;
    jumps_.push_back(times_[row]);
    pieces_.push_back({row, row});
  }
}

std::vector<double> Inputs::knots() const {
  std::vector<double> knots = times_;
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  return knots;
}

std::size_t Inputs::piece_from(double t) const {
  return static_cast<std::size_t>(std::upper_bound(jumps_.begin(), jumps_.end(), t) - jumps_.begin());
}

double Inputs::value(const Column& column, double t, std::size_t piece) const {
  const auto [first, last] = pieces_[piece];
  const std::vector<double>& values = column.values;
  if (!column.variable->is_continuous || first == last) return values[first];
  const auto begin = times_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = times_.begin() + static_cast<std::ptrdiff_t>(last);
  if (t <= *begin) return values[first];
  if (t >= *end) return values[last];
  const auto next = static_cast<std::size_t>(std::upper_bound(begin, end, t) - times_.begin());
  const double part = (t - times_[next - 1]) / (times_[next] - times_[next - 1]);
  return values[next - 1] + part * (values[next] - values[next - 1]);
}

}  // namespace slideway::fmi
