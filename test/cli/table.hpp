// Tables that the command wrote, read by the names of their columns.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace slideway::test {

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  if (text.ends_with(separator)) parts.emplace_back();
  return parts;
}

// A table without quoted cells: a row is a map from its columns.
struct Table {
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};

  explicit Table(const std::string& text) {
    REQUIRE(text.ends_with("\n"));
    for (const std::string& line : split(text.substr(0, text.size() - 1), '\n')) {
      if (columns.empty()) {
        columns = split(line, ',');
      } else {
        rows.push_back(split(line, ','));
        REQUIRE(rows.back().size() == columns.size());
      }
    }
  }
  std::string cell(std::size_t row, const std::string& column) const {
    const auto found = std::find(columns.begin(), columns.end(), column);
    REQUIRE_MESSAGE(found != columns.end(), column);
    return rows.at(row)[static_cast<std::size_t>(found - columns.begin())];
  }
  bool has(const std::string& column) const {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  }
  double number(std::size_t row, const std::string& column) const { return std::stod(cell(row, column)); }
};

inline std::vector<std::string> with(std::vector<std::string> arguments,
                                     const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace slideway::test
