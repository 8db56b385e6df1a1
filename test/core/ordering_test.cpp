#include <doctest/doctest.h>

#include <algorithm>

#include "core/ordering.hpp"
#include "slideway/detail/core/compressed_columns.hpp"

using namespace slideway;

namespace {

// A path over n points in scrambled places: place of point k is 7k mod n.
Pattern scrambled_path(Index n) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    std::vector<Index>& row = rows[static_cast<std::size_t>(7 * k % n)];
    for (const Index other : {k - 1, k, k + 1}) {
      if (other >= 0 && other < n) row.push_back(7 * other % n);
    }
  }
  return pattern_from_rows(n, std::move(rows));
}

}  // namespace

TEST_CASE("a path in any order becomes a band of one diagonal to either side") {
  const Pattern pattern = scrambled_path(101);
  std::vector<Index> order = reverse_cuthill_mckee(pattern);
  CHECK(half_bandwidth(pattern, order) == 1);
  std::sort(order.begin(), order.end());
  for (Index k = 0; k < 101; ++k) CHECK(order[static_cast<std::size_t>(k)] == k);
}

TEST_CASE("couplings in one direction count, and parts that see nothing of each other are all ordered") {
  const Pattern pattern = pattern_from_rows(6, {{5}, {}, {}, {2}, {}, {1}});
  const std::vector<Index> order = reverse_cuthill_mckee(pattern);
  CHECK(order.size() == 6);
  CHECK(half_bandwidth(pattern, order) == 1);
}

TEST_CASE("a matrix comes back whole from one product per colour") {
  const Pattern pattern = pattern_from_rows(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}});
  const auto value = [](Index i, Index j) { return static_cast<double>(10 * i + j + 1); };
  const CompressedColumns columns(pattern);
  CHECK(columns.colours() <= 3);
  std::vector<double> entries(pattern.column.size(), 0);
  for (Index colour = 0; colour < columns.colours(); ++colour) {
    Vector direction = Vector::Zero(5);
    columns.for_columns(colour, [&](Index j) { direction[j] = 1; });
    Vector product = Vector::Zero(5);
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < 5; ++j) product[i] += pattern.has(i, j) ? value(i, j) * direction[j] : 0;
    }
    columns.for_entries(colour, [&](Index entry, Index row, Index) {
      entries[static_cast<std::size_t>(entry)] = product[row];
    });
  }
  for (Index i = 0; i < 5; ++i) {
    for (Index k = pattern.start[static_cast<std::size_t>(i)];
         k < pattern.start[static_cast<std::size_t>(i) + 1]; ++k) {
      CHECK(entries[static_cast<std::size_t>(k)] == value(i, pattern.column[static_cast<std::size_t>(k)]));
    }
  }
}

TEST_CASE("a full row gives every column a colour of its own") {
  CHECK(colour_columns(pattern_from_rows(4, {{0}, {0, 1, 2, 3}})).colours == 4);
}
