#include "model_file/csv_column.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/number_text.hpp"
#include "expression/source_report.hpp"
#include "slideway/detail/core/number_form.hpp"
#include "slideway/detail/core/paths.hpp"

namespace slideway::reader {

namespace {

std::string trimmed(std::string_view cell) {
  const std::size_t begin = cell.find_first_not_of(" \t\r\"");
  if (begin == std::string_view::npos) return {};
  return std::string(cell.substr(begin, cell.find_last_not_of(" \t\r\"") + 1 - begin));
}

// Commas inside of quotes part nothing.
std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t k = 0; k <= line.size(); ++k) {
    if (k < line.size() && line[k] == '"') is_quoted = !is_quoted;
    if (k < line.size() && (line[k] != separator || is_quoted)) continue;
    cells.push_back(trimmed(std::string_view(line).substr(begin, k - begin)));
    begin = k + 1;
  }
  return cells;
}

std::size_t column_of(const std::string& name, const std::vector<std::string>& names,
                      const std::string& path) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw CsvError({"no column " + in_quotes(name) + " in " + in_quotes(path) + ", row 1", one_of(names),
                  in_quotes(name), suggestion(name, names)});
}

double number_in(const std::vector<std::string>& cells, std::size_t column, const std::string& name,
                 const std::string& where) {
  const std::string place = where + ", column " + in_quotes(name);
  if (column >= cells.size())
    throw CsvError({"a row that is too short in " + place, "a number", "nothing", ""});
  const std::string& cell = cells[column];
  double value = 0;
  const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
  const char* const end = cell.data() + cell.size();
  const DigitsRead read = read_digits(begin, end, value);
  if (!read.is_number || read.end != end || !(std::abs(value) < HUGE_VAL))
    throw CsvError(
        {"no number in " + place, "a finite number", cell.empty() ? "an empty cell" : in_quotes(cell),
         cell.find(',') != std::string::npos ? "write the fraction of a number after a point, '.'" : ""});
  return value;
}

}  // namespace

CsvColumns read_csv_columns(const std::string& path, const std::string& time, const std::string& value) {
  std::error_code ignored;
  std::ifstream file(to_path(path), std::ios::binary);
  if (!file || std::filesystem::is_directory(to_path(path), ignored))
    throw CsvError({"the file " + in_quotes(path) + " cannot be read", "a file of comma-separated values",
                    file ? "a directory" : std::strerror(errno),
                    "a path is one from the folder of the model file on, unless it begins with '/'"});
  CsvColumns columns;
  std::vector<std::string> names;
  std::size_t time_column = 0, value_column = 0;
  char separator = ',';
  std::string line;
  for (std::size_t row = 1; std::getline(file, line); ++row) {
    if (row == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (trimmed(line).empty() || line.front() == '#') continue;
    if (names.empty()) {
      for (const char other : {';', '\t'})
        if (line.find(',') == std::string::npos && line.find(other) != std::string::npos) separator = other;
      names = cells_of(line, separator);
      time_column = time.empty() ? 0 : column_of(time, names, path);
      value_column = column_of(value, names, path);
      continue;
    }
    const std::vector<std::string> cells = cells_of(line, separator);
    const std::string where = in_quotes(path) + ", row " + std::to_string(row);
    const double t = number_in(cells, time_column, names[time_column], where);
    if (!columns.times.empty() && !(t > columns.times.back()))
      throw CsvError({"a number that is not above the one before in " + where + ", column " +
                          in_quotes(names[time_column]),
                      "more than " + exact_text(columns.times.back()), exact_text(t),
                      "sort the rows by this column, and leave out what is there twice"});
    columns.times.push_back(t);
    columns.values.push_back(number_in(cells, value_column, names[value_column], where));
    columns.rows.push_back(row);
  }
  if (names.empty())
    throw CsvError({"the file " + in_quotes(path) + " is empty", "a line with names, then rows of numbers",
                    "nothing", ""});
  return columns;
}

}  // namespace slideway::reader
