#include "filippov/least_step.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace slideway {
namespace {

// Rows zᵢ − zᵢ₊₁ round a ring, in units of their own: any one of them follows from the others.
SparseRows ring(Index count, bool closed) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < (closed ? count : count - 1); ++i) {
    const double unit = std::pow(10.0, static_cast<double>(i % 7 - 3));
    entries.emplace_back(static_cast<int>(i), static_cast<int>(i), unit);
    entries.emplace_back(static_cast<int>(i), static_cast<int>((i + 1) % count), -unit);
  }
  SparseRows rows(closed ? count : count - 1, count);
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

TEST_CASE("the least step takes all residuals to zero, be the rows independent or not, few or many") {
  for (const Index count : {5, 60, 61, 300, 5000}) {
    for (const bool closed : {false, true}) {
      CAPTURE(count);
      CAPTURE(closed);
      const SparseRows rows = ring(count, closed);
      Vector z(count);
      for (Index i = 0; i < count; ++i) z[i] = std::sin(1.0 + 2.4 * static_cast<double>(i));
      Vector step;
      REQUIRE(least_step(rows, rows * z, step));
      // All become equal, and the least step leaves their mean where it was.
      const double mean = z.mean();
      CHECK((z + step - Vector::Constant(count, mean)).lpNorm<Eigen::Infinity>() <= 1e-9);
    }
  }
}

TEST_CASE("there is no least step along a row that is zero or not a number") {
  for (const double slope : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    SparseRows rows = ring(4, false);
    for (SparseRows::InnerIterator entry(rows, 1); entry; ++entry) entry.valueRef() = slope;
    Vector step;
    CHECK_FALSE(least_step(rows, Vector::Ones(3), step));
  }
}

}  // namespace
}  // namespace slideway
