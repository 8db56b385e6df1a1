#include "slideway/core/pattern.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace slideway;

namespace {

// The rows as sets of columns.
std::vector<std::set<Index>> rows_of(const Pattern& pattern) {
  std::vector<std::set<Index>> rows;
  for (Index i = 0; i < pattern.rows; ++i) {
    std::set<Index> row;
    for (Index j = 0; j < pattern.columns; ++j) {
      if (pattern.has(i, j)) row.insert(j);
    }
    rows.push_back(row);
  }
  return rows;
}

using Rows = std::vector<std::set<Index>>;

}  // namespace

TEST_CASE("a pattern knows the entries it was made of, however they were ordered") {
  const Pattern pattern = pattern_from_rows(4, {{3, 1, 3}, {}, {0}});
  CHECK(pattern.rows == 3);
  CHECK(pattern.columns == 4);
  CHECK(pattern.entries() == 3);
  CHECK(rows_of(pattern) == Rows{{1, 3}, {}, {0}});
}

TEST_CASE("a full pattern has every entry") {
  const Pattern pattern = full_pattern(2, 3);
  CHECK(pattern.entries() == 6);
  CHECK(rows_of(pattern) == Rows{{0, 1, 2}, {0, 1, 2}});
}

TEST_CASE("transposing swaps rows and columns") {
  const Pattern pattern = transposed(pattern_from_rows(3, {{0, 2}, {1, 2}}));
  CHECK(pattern.rows == 3);
  CHECK(pattern.columns == 2);
  CHECK(rows_of(pattern) == Rows{{0}, {1}, {0, 1}});
}

TEST_CASE("the pattern of a product has an entry where a path leads through both factors") {
  const Pattern left = pattern_from_rows(3, {{0, 1}, {2}});
  const Pattern right = pattern_from_rows(4, {{3}, {0, 3}, {}});
  CHECK(rows_of(product(left, right)) == Rows{{0, 3}, {}});
}

TEST_CASE("columns that meet in a row have different colours, and a band needs as many as it is wide") {
  constexpr Index size = 30;
  std::vector<std::vector<Index>> rows;
  for (Index i = 0; i < size; ++i) {
    rows.emplace_back();
    for (Index j = i - 1; j <= i + 1; ++j) {
      if (j >= 0 && j < size) rows.back().push_back(j);
    }
  }
  const Pattern band = pattern_from_rows(size, rows);
  const Colouring colouring = colour_columns(band);
  CHECK(colouring.colours == 3);
  REQUIRE(colouring.colour.size() == size);
  for (const std::set<Index>& row : rows_of(band)) {
    std::set<Index> colours;
    for (const Index column : row) {
      const Index colour = colouring.colour[static_cast<std::size_t>(column)];
      CHECK(colour >= 0);
      CHECK(colour < colouring.colours);
      colours.insert(colour);
    }
    CHECK(colours.size() == row.size());
  }
}

TEST_CASE("columns that never meet share one colour, and a full row needs one for each column") {
  CHECK(colour_columns(pattern_from_rows(5, {{0}, {1}, {2}, {3}, {4}})).colours == 1);
  CHECK(colour_columns(full_pattern(1, 5)).colours == 5);
}
