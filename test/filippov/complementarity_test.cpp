// The box-constrained linear complementarity problem: against enumeration, and against what theory promises.

#include "filippov/complementarity.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using slideway::Index;
using slideway::Matrix;
using slideway::solve_box_complementarity;
using slideway::Vector;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Draw {
  std::mt19937_64 engine{20240607};
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  }
  Index whole(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(engine); }
  Matrix matrix(Index rows, Index columns) {
    return Matrix::NullaryExpr(rows, columns, [&] { return (*this)(-1, 1); });
  }
  Vector vector(Index rows, double size = 1) {
    return Vector::NullaryExpr(rows, [&] { return (*this)(-size, size); });
  }
};

// All solutions with a nonsingular free block, one partition (lower, free, upper) after the other.
std::vector<Vector> enumerate(const Matrix& M, const Vector& q, const Vector& lower, const Vector& upper) {
  const Index n = q.size();
  Index partitions = 1;
  for (Index i = 0; i < n; ++i) partitions *= 3;
  std::vector<Vector> solutions;
  for (Index number = 0; number < partitions; ++number) {
    Matrix A = Matrix::Identity(n, n);
    Vector b = lower;
    Index rest = number;
    std::vector<Index> digits;
    bool possible = true;
    for (Index i = 0; i < n; ++i) {
      const Index digit = rest % 3;
      rest /= 3;
      digits.push_back(digit);
      if (digit == 1) {
        A.row(i) = M.row(i);
        b[i] = -q[i];
      } else if (digit == 2) {
        possible = possible && std::isfinite(upper[i]);
        b[i] = upper[i];
      }
    }
    if (!possible) continue;
    const Eigen::FullPivLU<Matrix> factors(A);
    if (!factors.isInvertible()) continue;
    const Vector z = factors.solve(b);
    const Vector r = q + M * z;
    bool good = true;
    for (Index i = 0; i < n; ++i) {
      const Index digit = digits[static_cast<std::size_t>(i)];
      if (digit == 0 && r[i] < -1e-12) good = false;
      if (digit == 1 && (z[i] < lower[i] - 1e-12 || z[i] > upper[i] + 1e-12)) good = false;
      if (digit == 2 && r[i] > 1e-12) good = false;
    }
    if (!good) continue;
    bool known = false;
    for (const Vector& other : solutions) known = known || (other - z).lpNorm<Eigen::Infinity>() < 1e-9;
    if (!known) solutions.push_back(z);
  }
  return solutions;
}

bool is_p(const Matrix& M) {
  const Index n = M.rows();
  for (Index subset = 1; subset < (Index{1} << n); ++subset) {
    std::vector<Index> chosen;
    for (Index i = 0; i < n; ++i) {
      if ((subset >> i) & 1) chosen.push_back(i);
    }
    if (!(M(chosen, chosen).determinant() > 1e-6)) return false;
  }
  return true;
}

TEST_CASE("the solution for a random P-matrix is the one that enumeration finds") {
  Draw draw;
  int tried = 0;
  while (tried < 1500) {
    const Index n = draw.whole(1, 6);
    const Matrix M = draw.matrix(n, n) + draw(0, 1.5) * Matrix::Identity(n, n);
    if (!is_p(M)) continue;
    ++tried;
    const Vector q = draw.vector(n, 2);
    Vector lower = draw.vector(n);
    Vector upper = lower + draw.vector(n).cwiseAbs();
    for (Index i = 0; i < n; ++i) {
      if (draw.whole(0, 2) == 0) upper[i] = kInfinity;
      if (draw.whole(0, 9) == 0) upper[i] = lower[i];
    }
    const auto expected = enumerate(M, q, lower, upper);
    REQUIRE(expected.size() == 1);
    const auto answer = solve_box_complementarity(M, q, lower, upper);
    REQUIRE_MESSAGE(answer.solved, answer.reason);
    CHECK((answer.z - expected.front()).lpNorm<Eigen::Infinity>() < 1e-8);
    CHECK((answer.residual - (q + M * answer.z)).lpNorm<Eigen::Infinity>() < 1e-12);
  }
}

TEST_CASE("a bounded box has a solution for any matrix and the one returned is among the enumerated") {
  Draw draw;
  for (int trial = 0; trial < 1500; ++trial) {
    const Index n = draw.whole(1, 6);
    const Matrix M = draw.matrix(n, n);
    const Vector q = draw.vector(n);
    const Vector lower = Vector::Constant(n, -1);
    const Vector upper = Vector::Constant(n, 1);
    const auto answer = solve_box_complementarity(M, q, lower, upper);
    REQUIRE_MESSAGE(answer.solved, answer.reason);
    const auto expected = enumerate(M, q, lower, upper);
    bool found = false;
    for (const Vector& z : expected) found = found || (z - answer.z).lpNorm<Eigen::Infinity>() < 1e-7;
    CHECK(found);
    CHECK(expected.size() % 2 == 1);
  }
}

TEST_CASE("matrices that are not symmetric, of several hundred rows, are solved to rounding") {
  Draw draw;
  for (const Index n : {50, 120, 300, 500}) {
    // Positive definite with a strong skew part, and badly scaled by four orders of magnitude.
    const Matrix root = draw.matrix(n, n);
    const Matrix skew = draw.matrix(n, n);
    Matrix M = root * root.transpose() / static_cast<double>(n) + 1e-3 * Matrix::Identity(n, n) + skew -
               skew.transpose();
    const Vector scale = draw.vector(n, 2).unaryExpr([](double s) { return std::pow(10.0, s); });
    M = scale.asDiagonal() * M * scale.asDiagonal();
    const Vector q = scale.cwiseProduct(draw.vector(n));
    Vector upper = Vector::Constant(n, kInfinity);
    for (Index i = 0; i < n; i += 2) upper[i] = 0.1 / scale[i];
    const Vector lower = Vector::Zero(n);
    const auto answer = solve_box_complementarity(M, q, lower, upper);
    REQUIRE_MESSAGE(answer.solved, answer.reason);
    CHECK(slideway::complementarity_error(M, q, lower, upper, answer.z) < 1e-10);
  }
}

TEST_CASE(
    "a thousand entries coupled to their neighbours are solved in the time of a few dense factorisations") {
  using Clock = std::chrono::steady_clock;
  const Index n = 1000;
  Matrix M = Matrix::Zero(n, n);
  M.diagonal().setConstant(2);
  M.diagonal(1).setConstant(-1);
  M.diagonal(-1).setConstant(-1);
  const Vector ones = Vector::Ones(n);
  // Without the floor and the ceiling the middle would be far beyond them.
  for (const double push : {1.0, 4.0}) {
    const Vector expected =
        0.999 * Vector::LinSpaced(n, -1, 1).unaryExpr([push](double s) { return std::sin(push * s); });
    const auto start = Clock::now();
    const auto answer = solve_box_complementarity(M, -(M * expected), -ones, ones);
    const auto middle = Clock::now();
    const double check = Eigen::PartialPivLU<Matrix>(M).solve(ones).maxCoeff();
    const auto end = Clock::now();
    CHECK(check == doctest::Approx(125250));
    REQUIRE_MESSAGE(answer.solved, answer.reason);
    CHECK((answer.z - expected).lpNorm<Eigen::Infinity>() < 1e-8);
    CHECK(middle - start < 10 * (end - middle));
  }
}

TEST_CASE("a string pressed against a ceiling touches it in the middle") {
  const Index n = 101;
  Matrix M = Matrix::Zero(n, n);
  M.diagonal().setConstant(2);
  M.diagonal(1).setConstant(-1);
  M.diagonal(-1).setConstant(-1);
  const double load = 2e-3;
  const Vector ones = Vector::Ones(n);
  const auto answer = solve_box_complementarity(M, Vector::Constant(n, -load), -ones, ones);
  REQUIRE_MESSAGE(answer.solved, answer.reason);
  // It leaves the ceiling along a parabola: 1 = load·k²/2 at a distance of k = √1000 entries from the wall, to within one entry.
  const double distance = std::sqrt(2 / load);
  for (Index i = 0; i < n; ++i) {
    const double from_wall = static_cast<double>(std::min(i + 1, n - i));
    if (from_wall > distance + 1) CHECK(answer.z[i] == 1);
    if (from_wall < distance - 1) CHECK(answer.z[i] < 1);
  }
}

TEST_CASE("a string of two thousand entries is solved by its few couplings") {
  const Index n = 2001;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2);
    if (i > 0) entries.emplace_back(i, i - 1, -1);
    if (i + 1 < n) entries.emplace_back(i, i + 1, -1);
  }
  Eigen::SparseMatrix<double> M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  const Vector ones = Vector::Ones(n);
  const Vector expected = Vector::LinSpaced(n, -3, 3).unaryExpr([](double s) { return 0.9 * std::sin(s); });
  // Pulled beyond the ceiling in its right half: there the relays give way.
  Vector q = -(M * expected);
  const auto free = solve_box_complementarity(M, q, -ones, ones);
  REQUIRE_MESSAGE(free.solved, free.reason);
  CHECK((free.z - expected).lpNorm<Eigen::Infinity>() < 1e-6);
  q *= 1.5;
  const auto held = solve_box_complementarity(M, q, -ones, ones);
  REQUIRE_MESSAGE(held.solved, held.reason);
  CHECK(held.z.maxCoeff() == 1);
  CHECK(held.z.minCoeff() == -1);
  CHECK((held.residual - q - M * held.z).lpNorm<Eigen::Infinity>() < 1e-12);
}

TEST_CASE("a problem of few entries has the solution that it has as one of many") {
  Draw draw;
  for (int trial = 0; trial < 20; ++trial) {
    const Index n = draw.whole(40, 80);
    Matrix M = 4.5 * Matrix::Identity(n, n);
    for (Index i = 0; i < n; ++i) {
      for (int k = 0; k < 2; ++k) M(i, draw.whole(0, n - 1)) += draw(-1, 1);
    }
    const Vector q = draw.vector(n, 8);
    const Vector ones = Vector::Ones(n);
    const auto few = solve_box_complementarity(Eigen::SparseMatrix<double>(M.sparseView()), q, -ones, ones);
    REQUIRE_MESSAGE(few.solved, few.reason);
    // Entries so small that they change nothing make it a full one.
    const Matrix full = M + Matrix::Constant(n, n, 1e-300);
    const auto many = solve_box_complementarity(full, q, -ones, ones);
    REQUIRE_MESSAGE(many.solved, many.reason);
    CHECK((few.z - many.z).lpNorm<Eigen::Infinity>() < 1e-12);
  }
}

TEST_CASE("Murty's exponential example ends") {
  // Least-index pivoting takes 2^n steps on this P-matrix.
  const Index n = 60;
  Matrix M = Matrix::Identity(n, n);
  M.triangularView<Eigen::StrictlyLower>().setConstant(2);
  const Vector q = Vector::Constant(n, -1);
  const auto answer = solve_box_complementarity(M, q, Vector::Zero(n), Vector::Constant(n, kInfinity));
  REQUIRE_MESSAGE(answer.solved, answer.reason);
  CHECK(answer.z[0] == doctest::Approx(1));
  CHECK(answer.z.tail(n - 1).lpNorm<Eigen::Infinity>() < 1e-12);
}

TEST_CASE("a table on four legs stands, whichever legs carry it") {
  // Forces Λ ≥ 0 at four corners of a rigid plate: three motions, four forces, a singular semidefinite matrix.
  Matrix G(3, 4);
  G << 1, 1, 1, 1, 1, 1, -1, -1, 1, -1, -1, 1;
  const Matrix M = G.transpose() * G;
  const Vector gravity = Vector(Eigen::Vector3d(-9.81, 0.3, -0.2));
  const Vector q = G.transpose() * gravity;
  const auto answer = solve_box_complementarity(M, q, Vector::Zero(4), Vector::Constant(4, kInfinity));
  REQUIRE_MESSAGE(answer.solved, answer.reason);
  CHECK(answer.z.minCoeff() >= 0);
  CHECK((gravity + G * answer.z).norm() < 1e-9);
}

TEST_CASE("semidefinite matrices of low rank are solved whenever a solution exists") {
  Draw draw;
  for (int trial = 0; trial < 3000; ++trial) {
    const Index n = draw.whole(2, 40);
    const Index rank = draw.whole(1, std::max<Index>(1, n / 2));
    const Matrix G = draw.matrix(rank, n);
    const Matrix M = G.transpose() * G;
    // q = Gᵀv + s with s ≥ 0 is always feasible: the closest force to −v in the cone is a solution.
    Vector q = G.transpose() * draw.vector(rank);
    for (Index i = 0; i < n; ++i) {
      if (draw.whole(0, 3) == 0) q[i] += draw(0, 1);
    }
    const auto answer = solve_box_complementarity(M, q, Vector::Zero(n), Vector::Constant(n, kInfinity));
    REQUIRE_MESSAGE(answer.solved, answer.reason);
  }
}

TEST_CASE("ties everywhere do not make the path cycle") {
  Draw draw;
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = draw.whole(2, 30);
    Matrix G(n / 2 + 1, n);
    for (Index i = 0; i < G.rows(); ++i) {
      for (Index j = 0; j < n; ++j) G(i, j) = static_cast<double>(draw.whole(-1, 1));
    }
    const Matrix M = G.transpose() * G;
    const Vector q = G.transpose() * Vector::Constant(G.rows(), -1.0);
    Vector upper = Vector::Constant(n, kInfinity);
    if (trial % 2 == 0) upper.setConstant(1);
    const auto answer = solve_box_complementarity(M, q, Vector::Zero(n), upper);
    REQUIRE_MESSAGE(answer.solved, answer.reason);
  }
}

TEST_CASE("a solution whose bounds are only just reached stays in the box") {
  // Differences along a path: every free entry of the solution is a tie or a rounding away from one.
  for (Index n = 2; n < 60; ++n) {
    Matrix M = Matrix::Zero(n, n);
    M.diagonal().setConstant(2);
    M.diagonal(1).setConstant(-1);
    M.diagonal(-1).setConstant(-1);
    const Vector expected = Vector::LinSpaced(n, -1, 1) / 3 * 3;
    const auto answer = solve_box_complementarity(M, -(M * expected), -Vector::Ones(n), Vector::Ones(n));
    REQUIRE_MESSAGE(answer.solved, answer.reason);
    CHECK((answer.z - expected).lpNorm<Eigen::Infinity>() < 1e-12);
  }
}

TEST_CASE("a problem without a solution is reported as a ray") {
  const Matrix M = Matrix::Zero(2, 2);
  const Vector q = Vector(Eigen::Vector2d(1, -1));
  const auto answer = solve_box_complementarity(M, q, Vector::Zero(2), Vector::Constant(2, kInfinity));
  CHECK_FALSE(answer.solved);
  CHECK(answer.reason.find("no solution") != std::string::npos);
  // With a ceiling there is one: the entry that pulls goes to it.
  const auto bounded = solve_box_complementarity(M, q, Vector::Zero(2), Vector::Constant(2, 3.0));
  REQUIRE(bounded.solved);
  CHECK(bounded.z == Vector(Eigen::Vector2d(0, 3)));
}

TEST_CASE("an empty problem is solved and nonsense is refused") {
  CHECK(solve_box_complementarity(Matrix(0, 0), Vector(0), Vector(0), Vector(0)).solved);
  const Vector one = Vector::Ones(1);
  CHECK_THROWS_AS(solve_box_complementarity(Matrix::Ones(2, 2), one, one, one), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_complementarity(Matrix::Ones(1, 1), one, one, -one), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_complementarity(Matrix::Ones(1, 1), one, Vector::Constant(1, -kInfinity), one),
                  std::invalid_argument);
  CHECK_FALSE(solve_box_complementarity(Matrix::Constant(1, 1, std::nan("")), one, one, one).solved);
}

}  // namespace
