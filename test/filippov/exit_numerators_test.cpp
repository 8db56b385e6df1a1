// The quantity that is zero where a relay reaches its bound, for matrices D that become singular on the way.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "filippov/exit_numerators.hpp"

namespace slideway {
namespace {

std::vector<Eigen::Triplet<double>> entries_of(const Matrix& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (matrix(i, j) != 0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), matrix(i, j));
    }
  }
  return entries;
}

// D of a family that is singular at s = 1, of one coupled component.
Matrix coupled(Index size, double s) {
  Matrix matrix = Matrix::Identity(size, size) * -2;
  for (Index i = 0; i + 1 < size; ++i) matrix(i, i + 1) = matrix(i + 1, i) = 0.3;
  if (size > 1) {
    // The last row goes from its own direction to that of the first.
    matrix.row(size - 1) = (1 - s) * matrix.row(size - 1) + s * matrix.row(0);
  } else {
    matrix(0, 0) = s - 1;
  }
  return matrix;
}

TEST_CASE("exit numerators are the relays times the determinant, wherever the guess of the relays is") {
  for (const Index size : {1, 2, 3, 7, 20, 60}) {
    CAPTURE(size);
    ExitNumerators numerators;
    const Vector w = Vector::LinSpaced(size, -0.4, 0.7);
    Vector ratio, product;
    REQUIRE(numerators.find(entries_of(coupled(size, 0)), w, Vector::Zero(size), ratio, product));
    CHECK((ratio - Vector::Ones(size)).lpNorm<Eigen::Infinity>() <= 1e-12);
    const double first = Matrix(coupled(size, 0)).determinant();
    for (const double s : {0.3, 0.9, 1.2}) {
      const Matrix matrix = coupled(size, s);
      const Vector relays = -matrix.lu().solve(w);
      for (const double guess : {0.0, -0.8}) {
        const Vector start = Vector::Constant(size, guess);
        REQUIRE(numerators.find(entries_of(matrix), w + matrix * start, start, ratio, product));
        const double expected = matrix.determinant() / first;
        CHECK((ratio.array() / expected - 1).abs().maxCoeff() <= 1e-9);
        CHECK((product - expected * relays).lpNorm<Eigen::Infinity>() <=
              1e-9 * std::abs(expected) * (1 + relays.lpNorm<Eigen::Infinity>()));
      }
    }
  }
}

TEST_CASE("exit numerators have no pole where the relays have one") {
  for (const Index size : {1, 2, 5, 60}) {
    CAPTURE(size);
    ExitNumerators numerators;
    const Vector w = Vector::LinSpaced(size, -0.4, 0.7);
    const auto product_at = [&](double s) {
      Vector ratio, product;
      REQUIRE(numerators.find(entries_of(coupled(size, s)), w, Vector::Zero(size), ratio, product));
      CHECK(ratio.allFinite());
      return product;
    };
    product_at(0);
    const Vector here = product_at(1);
    for (const double s : {1 - 1e-6, 1 + 1e-6})
      CHECK((product_at(s) - here).lpNorm<Eigen::Infinity>() <= 1e-4 * (1 + here.lpNorm<Eigen::Infinity>()));
  }
}

TEST_CASE("a component that others do not see keeps its own determinant, in any number of them") {
  constexpr Index kCount = 5000;
  ExitNumerators numerators;
  Vector ratio, product;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < kCount; ++i) entries.emplace_back(i, i, -1.0);
  const Vector w = Vector::Constant(kCount, 0.5);
  REQUIRE(numerators.find(entries, w, Vector::Zero(kCount), ratio, product));
  for (int i = 0; i < kCount; ++i) entries[static_cast<std::size_t>(i)] = {i, i, i == 7 ? 0.0 : -1.1};
  REQUIRE(numerators.find(entries, w, Vector::Zero(kCount), ratio, product));
  CHECK(ratio[6] == doctest::Approx(1.1));
  CHECK(ratio[7] == 0.0);
  CHECK(product[6] == doctest::Approx(0.5));
  CHECK(product[7] == doctest::Approx(0.5));
}

}  // namespace
}  // namespace slideway
