#include "sweep/sweep_cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "slideway/detail/core/number_form.hpp"
#include "slideway/io/csv.hpp"

namespace slideway {

namespace {

// The number that the whole text is.
std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const DigitsRead read = read_digits(text.data(), text.data() + text.size(), value);
  if (!read.is_number || read.end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Index> index_in(std::string_view text) {
  Index value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string number_cell(double value) {
  if (!std::isfinite(value)) return {};
  return std::string(shortest_digits(value).text());
}

std::string numbers_cell(const std::vector<double>& values) {
  std::string cell;
  for (const double value : values) (cell += cell.empty() ? "" : " ") += number_cell(value);
  return cell;
}

std::string text_cell(std::string text) {
  for (char& character : text) {
    if (character == '\n' || character == '\r') character = ' ';
  }
  return csv_cell(text);
}

std::vector<std::string_view> quoted_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    // A quote within quotes is two of them, which end and begin again.
    if (line[k] == '"') quoted = !quoted;
    if (line[k] != ',' || quoted) continue;
    cells.push_back(line.substr(begin, k - begin));
    begin = k + 1;
  }
  cells.push_back(line.substr(begin));
  return cells;
}

std::string unquoted(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  std::string text;
  for (std::size_t k = 1; k + 1 < cell.size(); ++k) {
    text += cell[k];
    if (cell[k] == '"' && k + 2 < cell.size() && cell[k + 1] == '"') ++k;
  }
  return text;
}

double number_of(const std::string& cell) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto value = number_in(cell);
  if (!value) throw std::invalid_argument("'" + cell + "' is not a number");
  return *value;
}

Index count_of(const std::string& cell) {
  const auto value = index_in(cell);
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

}  // namespace slideway
