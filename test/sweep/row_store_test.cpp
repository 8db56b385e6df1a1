// Rows that memory does not hold, and samples that are drawn when they are asked for.
#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "slideway/io/files.hpp"
#include "slideway/sweep/samples.hpp"
#include "sweep/row_store.hpp"

using namespace slideway;

namespace {

std::string row_of(Index run, std::size_t length) {
  return std::to_string(run) + std::string(length, 'x') + '\n';
}

// Puts rows in another order, and looks whether all come back in their own.
void check_store(Index runs, std::size_t length, Index step) {
  RowStore store(runs, std::filesystem::temp_directory_path().string());
  std::uint64_t half = 0;
  Index put = 0;
  // The step shares no factor with the number of runs, so that every run is met once.
  for (Index run = 0, k = 0; k < runs; ++k, run = (run + step) % runs) {
    if (run % 10 == 3) continue;
    store.put(run, row_of(run, length));
    if (++put == runs / 3) half = store.now();
  }
  CHECK(!store.has(3));
  CHECK(store.has(4));
  CHECK(store.row(4) == row_of(4, length));
  CHECK(store.row(runs - 1) == row_of(runs - 1, length));
  Index next = 0, rows = 0;
  bool is_right = true;
  store.for_each(store.now(), [&](const std::string& row) {
    if (next % 10 == 3) ++next;
    is_right = is_right && row == row_of(next, length);
    ++next;
    ++rows;
  });
  CHECK(is_right);
  CHECK(rows == put);
  rows = 0;
  store.for_each(half, [&](const std::string&) { ++rows; });
  CHECK(rows == runs / 3);
}

}  // namespace

TEST_CASE("rows come back in the order of the runs, from memory and from the disk") {
  check_store(1000, 20, 7);
  check_store(2001, 20000, 1999);
  check_store(200001, 10, 100003);
  check_store(200001, 100, 1);
}

TEST_CASE("where rows cannot be kept an error says so") {
  RowStore store(1000, "/nowhere/at/all");
  const std::string row(1 << 20, 'x');
  const auto fill = [&] {
    for (Index run = 0; run < 100; ++run) store.put(run, row);
  };
  CHECK_THROWS_AS(fill(), FileError);
}

TEST_CASE("random samples in any order are the numbers of one sequence") {
  // By the definition: a fraction of 53 bits per range, sample after sample.
  std::mt19937_64 generator(7);
  std::vector<std::vector<double>> expected;
  for (int k = 0; k < 10000; ++k) {
    std::vector<double>& values = expected.emplace_back();
    for (int range = 0; range < 2; ++range)
      values.push_back(static_cast<double>(generator() >> 11) / 9007199254740992.0);
  }
  const Samples samples({{0, 1, false}, {0, 1, false}}, 10000, 7, Sampling::random);
  for (const Index k : {9999, 0, 4095, 4096, 1, 8192, 5000})
    CHECK(samples.at(k) == expected.at(static_cast<std::size_t>(k)));
}

TEST_CASE("each part of a Latin hypercube of many samples holds one value, in any order of asking") {
  constexpr Index count = 10007;
  const Samples samples({{0, 1, false}, {2, 3, false}}, count, 3, Sampling::latin);
  for (const std::size_t range : {0, 1}) {
    std::vector<int> met(static_cast<std::size_t>(count), 0);
    for (Index k = count; k-- > 0;) {
      const double place =
          (samples.at(k)[range] - 2 * static_cast<double>(range)) * static_cast<double>(count);
      ++met.at(static_cast<std::size_t>(place));
    }
    CHECK(std::count(met.begin(), met.end(), 1) == count);
  }
  const auto lists = latin_samples({{0, 1, false}, {2, 3, false}}, count, 3);
  CHECK(samples.at(5000) == std::vector<double>{lists[0][5000], lists[1][5000]});
}
