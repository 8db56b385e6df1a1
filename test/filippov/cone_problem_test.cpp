// Contacts with friction in a plane as problems of numbers: the answers are put into the conditions.
#include "filippov/cone_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace slideway;

namespace {

// The effects of so many contacts of bodies with these masses: BᵢⱼB with B = GWGᵀ for a random G.
Matrix random_effects(std::mt19937& numbers, Index contacts, Index bodies, double tangential) {
  std::normal_distribution<double> normal;
  Matrix G(3 * contacts, 6 * bodies);
  for (Index i = 0; i < G.rows(); ++i) {
    for (Index j = 0; j < G.cols(); ++j) G(i, j) = normal(numbers) * (i < contacts ? 1 : tangential);
  }
  return G * G.transpose();
}

std::vector<ConeRows> rows_of(Index contacts, double coefficient) {
  std::vector<ConeRows> rows;
  for (Index c = 0; c < contacts; ++c)
    rows.push_back({.normal = c, .tangential = contacts + 2 * c, .coefficient = coefficient});
  return rows;
}

// The largest part by which the conditions are broken.
double error_of(const Matrix& B, const Vector& q, const std::vector<ConeRows>& rows,
                const ConeAnswer& answer) {
  const Vector w = q + B * answer.z;
  const double size = q.lpNorm<Eigen::Infinity>();
  double worst = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double P = answer.z[rows[k].normal];
    const Eigen::Vector2d Q = answer.z.segment<2>(rows[k].tangential);
    const Eigen::Vector2d s = w.segment<2>(rows[k].tangential);
    const double bound = rows[k].coefficient * P;
    worst = std::max({worst, -P, -w[rows[k].normal] / size, std::abs(P * w[rows[k].normal]) / size,
                      (Q.norm() - bound) / (1 + bound)});
    worst =
        std::max(worst, answer.sticks[k] != 0 ? s.norm() / size : (Q * s.norm() + bound * s).norm() / size);
  }
  return worst;
}

}  // namespace

TEST_CASE("one contact with friction in a plane satisfies its law, whatever its effects are") {
  std::mt19937 numbers(7);
  std::normal_distribution<double> normal;
  int slips = 0, sticks = 0, opens = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Matrix B = random_effects(numbers, 1, 1, 1.0);
    const Vector q = Vector::NullaryExpr(3, [&] { return normal(numbers); });
    const std::vector<ConeRows> rows = rows_of(1, 0.2);
    const ConeAnswer answer = solve_cones(B, q, rows);
    REQUIRE(answer.solved);
    CHECK(error_of(B, q, rows, answer) < 1e-12);
    (answer.z[0] == 0 ? opens : answer.sticks[0] != 0 ? sticks : slips) += 1;
  }
  CHECK(slips > 50);
  CHECK(sticks > 3);
  CHECK(opens > 100);
}

TEST_CASE("several contacts with friction in a plane satisfy their law") {
  std::mt19937 numbers(11);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix B = random_effects(numbers, 3, 3, 1.0);
    const Vector q = Vector::NullaryExpr(9, [&] { return normal(numbers); });
    const std::vector<ConeRows> rows = rows_of(3, 0.2);
    const ConeAnswer answer = solve_cones(B, q, rows);
    REQUIRE(answer.solved);
    CHECK(error_of(B, q, rows, answer) < 1e-9);
  }
}

TEST_CASE("a contact at the bound of its cone holds unless it is found to break away") {
  const Matrix B = Matrix::Identity(3, 3);
  const Vector q = Vector{{-1.0, 0.3, 0.4}};
  std::vector<ConeRows> rows = rows_of(1, 0.5);
  CHECK(solve_cones(B, q, rows).sticks[0] == 1);
  rows[0].breaks_away = true;
  const ConeAnswer answer = solve_cones(B, q, rows);
  CHECK(answer.sticks[0] == 0);
  CHECK((answer.directions[0] - Eigen::Vector2d(0.6, 0.8)).norm() < 1e-15);
  rows[0].coefficient = 0.6;
  CHECK(solve_cones(B, q, rows).sticks[0] == 1);
}

TEST_CASE("a force with a least value takes it, or more where it does not lift enough") {
  std::mt19937 numbers(5);
  std::normal_distribution<double> normal;
  int least = 0, more = 0, sticks = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Matrix B = random_effects(numbers, 1, 1, 1.0);
    const Vector q = Vector::NullaryExpr(3, [&] { return normal(numbers); });
    std::vector<ConeRows> rows = rows_of(1, 0.2);
    rows[0].least = 0.1;
    const ConeAnswer answer = solve_cones(B, q, rows);
    REQUIRE(answer.solved);
    const Vector w = q + B * answer.z;
    const Eigen::Vector2d Q = answer.z.tail<2>(), s = w.tail<2>();
    const double bound = 0.2 * answer.z[0];
    CHECK(answer.z[0] >= 0.1 - 1e-12);
    CHECK(w[0] >= -1e-12);
    CHECK(std::abs((answer.z[0] - 0.1) * w[0]) < 1e-12);
    CHECK(Q.norm() <= bound * (1 + 1e-12));
    CHECK((answer.sticks[0] != 0 ? s.norm() : (Q * s.norm() + bound * s).norm()) < 1e-12);
    (answer.z[0] == 0.1 ? least : more) += 1;
    sticks += answer.sticks[0];
  }
  CHECK(least > 100);
  CHECK(more > 100);
  CHECK(sticks > 3);
}
