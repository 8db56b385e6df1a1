#include "filippov/dependent_relays.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <random>

namespace slideway {
namespace {

constexpr double kTolerance = 1e-10;

std::optional<Vector> in_unit_box(const Matrix& D, const Vector& r) {
  const Vector one = Vector::Ones(D.cols());
  return smallest_in_box(D, r, -one, one, Vector::Constant(D.rows(), 1e-14), kTolerance);
}

Matrix twisting() {
  Matrix D(2, 2);
  D << -2, -1, -2, -1;
  return D;
}

TEST_CASE("of the relays that hold a surface together the least are taken") {
  const auto lambda = in_unit_box(twisting(), Vector::Constant(2, -1));
  REQUIRE(lambda);
  CHECK((*lambda)[0] == doctest::Approx(0.4));
  CHECK((*lambda)[1] == doctest::Approx(0.2));
}

TEST_CASE("a relay at its bound leaves the rest to the others") {
  // 2a + b = 2.8 has its least solution outside the box.
  const auto lambda = in_unit_box(twisting(), Vector::Constant(2, -2.8));
  REQUIRE(lambda);
  CHECK((*lambda)[0] == doctest::Approx(1).epsilon(1e-9));
  CHECK((*lambda)[1] == doctest::Approx(0.8).epsilon(1e-9));
  CHECK_FALSE(in_unit_box(twisting(), Vector::Constant(2, -3.01)));
}

TEST_CASE("equations that contradict each other have no solution") {
  CHECK_FALSE(in_unit_box(twisting(), Eigen::Vector2d(1, 1.1)));
  CHECK_FALSE(in_unit_box(Matrix::Zero(1, 1), Vector::Constant(1, 1e-3)));
  CHECK(in_unit_box(Matrix::Zero(1, 1), Vector::Zero(1)));
}

TEST_CASE("a solution in the box is found for random singular systems whenever there is one") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 500; ++trial) {
    const Index k = 2 + trial % 4;
    const Index rank = 1 + trial % (k - 1);
    Matrix left(k, rank), right(rank, k);
    for (double& entry : left.reshaped()) entry = uniform(random);
    for (double& entry : right.reshaped()) entry = uniform(random);
    const Matrix D = left * right;
    Vector lambda(k);
    for (double& entry : lambda) entry = uniform(random);
    // Many of these are close to the corners of the box.
    if (trial % 2 == 0) lambda = lambda.array().sign() * lambda.array().abs().pow(0.05);
    const auto found = in_unit_box(D, D * lambda);
    REQUIRE(found);
    CHECK(found->lpNorm<Eigen::Infinity>() <= 1);
    CHECK((D * *found - D * lambda).lpNorm<Eigen::Infinity>() <= 1e-9);
    CHECK(found->norm() <= lambda.norm() * (1 + 1e-6));
    const Matrix unseen = unseen_directions(D);
    CHECK(unseen.cols() == k - rank);
    CHECK((D * unseen).cwiseAbs().maxCoeff() <= 1e-9);
  }
}

TEST_CASE("the regular part of a singular matrix has its rank and can be inverted") {
  Matrix D(3, 3);
  D << 0, 0, 0, 1, 2, 0, 2, 4, 5;
  const RegularPart part = regular_part(D);
  REQUIRE(part.rows.size() == 2);
  REQUIRE(part.columns.size() == 2);
  CHECK(std::abs(Matrix(D(part.rows, part.columns)).determinant()) > 1);
  CHECK(regular_part(Matrix::Zero(2, 2)).rows.empty());
}

TEST_CASE("the turns of the twisting algorithm contract by the square root of what the damping leaves") {
  // ḧ = −2 sgn h − sgn h': 1/3 per half turn in h, as h'² goes with h.
  Vector second(4);
  for (Index v = 0; v < 4; ++v) second[v] = -2 * (v & 1 ? 1 : -1) - (v & 2 ? 1 : -1);
  CHECK(second_order_return_factor(second, 1) == doctest::Approx(1.0 / 3));
  // With the other sign of the damping they grow; without damping they do neither.
  for (Index v = 0; v < 4; ++v) second[v] = -2 * (v & 1 ? 1 : -1) + (v & 2 ? 1 : -1);
  CHECK(second_order_return_factor(second, 1) == doctest::Approx(3));
  // The second surface may count the speed the other way round.
  CHECK(second_order_return_factor(second, -1) == doctest::Approx(1.0 / 3));
  CHECK(second_order_return_factor(Vector::Ones(4), 1) == 0);
}

}  // namespace
}  // namespace slideway
