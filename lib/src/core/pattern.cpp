#include "slideway/core/pattern.hpp"

#include <algorithm>
#include <numeric>

#include "core/at.hpp"

namespace slideway {

bool Pattern::has(Index row, Index col) const {
  const auto first = column.begin() + start[at(row)];
  const auto last = column.begin() + start[at(row) + 1];
  return std::binary_search(first, last, col);
}

Pattern pattern_from_rows(Index columns, std::vector<std::vector<Index>> rows) {
  Pattern pattern;
  pattern.rows = static_cast<Index>(rows.size());
  pattern.columns = columns;
  pattern.start.reserve(rows.size() + 1);
  for (std::vector<Index>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    pattern.column.insert(pattern.column.end(), row.begin(), row.end());
    pattern.start.push_back(pattern.entries());
  }
  return pattern;
}

std::vector<Index> columns_of(const Pattern& pattern, const std::vector<Index>& rows) {
  std::vector<Index> columns;
  for (const Index row : rows) {
    columns.insert(columns.end(), pattern.column.begin() + pattern.start[at(row)],
                   pattern.column.begin() + pattern.start[at(row) + 1]);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

Pattern full_pattern(Index rows, Index columns) {
  std::vector<Index> all(at(columns));
  std::iota(all.begin(), all.end(), Index{0});
  return pattern_from_rows(columns, std::vector<std::vector<Index>>(at(rows), all));
}

Pattern product(const Pattern& left, const Pattern& right) {
  std::vector<std::vector<Index>> rows(at(left.rows));
  for (Index i = 0; i < left.rows; ++i) {
    for (Index k = left.start[at(i)]; k < left.start[at(i) + 1]; ++k) {
      const Index middle = left.column[at(k)];
      rows[at(i)].insert(rows[at(i)].end(), right.column.begin() + right.start[at(middle)],
                         right.column.begin() + right.start[at(middle) + 1]);
    }
  }
  return pattern_from_rows(right.columns, std::move(rows));
}

Pattern transposed(const Pattern& pattern) {
  std::vector<std::vector<Index>> rows(at(pattern.columns));
  for (Index i = 0; i < pattern.rows; ++i) {
    for (Index k = pattern.start[at(i)]; k < pattern.start[at(i) + 1]; ++k) {
      rows[at(pattern.column[at(k)])].push_back(i);
    }
  }
  return pattern_from_rows(pattern.rows, std::move(rows));
}

Colouring colour_columns(const Pattern& pattern) {
  Colouring result;
  for (Index i = 0; i < pattern.rows; ++i) {
    if (pattern.start[at(i) + 1] - pattern.start[at(i)] < pattern.columns) continue;
    // A full row leaves no choice.
    result.colours = pattern.columns;
    result.colour.resize(at(pattern.columns));
    std::iota(result.colour.begin(), result.colour.end(), Index{0});
    return result;
  }
  const Pattern by_column = transposed(pattern);
  result.colour.assign(at(pattern.columns), -1);
  // The column that last forbade each colour.
  std::vector<Index> forbidden_by;
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index k = by_column.start[at(j)]; k < by_column.start[at(j) + 1]; ++k) {
      const Index row = by_column.column[at(k)];
      for (Index l = pattern.start[at(row)]; l < pattern.start[at(row) + 1]; ++l) {
        const Index colour = result.colour[at(pattern.column[at(l)])];
        if (colour >= 0) forbidden_by[at(colour)] = j;
      }
    }
    Index colour = 0;
    while (colour < result.colours && forbidden_by[at(colour)] == j) ++colour;
    if (colour == result.colours) {
      ++result.colours;
      forbidden_by.push_back(-1);
    }
    result.colour[at(j)] = colour;
  }
  return result;
}

}  // namespace slideway
