#include "slideway/filippov/corner.hpp"

#include "slideway/filippov/korobitsyn_frolova.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

using namespace slideway;

namespace {

std::string word(const std::vector<Side>& sides) {
  std::string text;
  for (const Side side : sides) text += to_character(side);
  return text;
}

CornerAnswer answer_of(const VertexTable& table) {
  CornerOptions options;
  options.w_zero = Vector::Constant(table.surfaces(), 1e-13);
  const Index a = table.surfaces();
  // Constant fields: every second derivative is zero.
  return consistent_modes(table, options, [a](const Vector&) { return Vector(Vector::Zero(a)); });
}

std::set<std::string> words(const CornerAnswer& answer) {
  std::set<std::string> result;
  for (const Continuation& continuation : answer.continuations) result.insert(word(continuation.sides));
  return result;
}

// The same question asked the plain way, for constant fields in general position: a sliding λ of one surface from the
// linear equation, of two from the quadratic one.
std::multiset<std::string> brute_force(const VertexTable& table) {
  std::multiset<std::string> result;
  const auto w = [&](double l1, double l2) { return interpolate(table, Eigen::Vector2d(l1, l2)); };
  for (const double s1 : {-1.0, 1.0}) {
    for (const double s2 : {-1.0, 1.0}) {
      const Vector v = w(s1, s2);
      if (s1 * v[0] > 0 && s2 * v[1] > 0) result.insert({s1 > 0 ? '+' : '-', s2 > 0 ? '+' : '-'});
    }
  }
  for (const double s : {-1.0, 1.0}) {
    const char side = s > 0 ? '+' : '-';
    double low = w(-1, s)[0];
    double high = w(1, s)[0];
    double root = (low + high) / (low - high);
    if (std::abs(root) < 1 && s * w(root, s)[1] > 0) result.insert({'0', side});
    low = w(s, -1)[1];
    high = w(s, 1)[1];
    root = (low + high) / (low - high);
    if (std::abs(root) < 1 && s * w(s, root)[0] > 0) result.insert({side, '0'});
  }
  // w_i = c0 + c1 x + c2 y + c3 x y: y from the first, put into the second.
  double c[2][4];
  for (int i = 0; i < 2; ++i) {
    const double mm = table.w(i, 0), pm = table.w(i, 1), mp = table.w(i, 2), pp = table.w(i, 3);
    c[i][0] = (mm + pm + mp + pp) / 4;
    c[i][1] = (-mm + pm - mp + pp) / 4;
    c[i][2] = (-mm - pm + mp + pp) / 4;
    c[i][3] = (mm - pm - mp + pp) / 4;
  }
  const double q2 = c[1][1] * c[0][3] - c[1][3] * c[0][1];
  const double q1 = c[1][0] * c[0][3] + c[1][1] * c[0][2] - c[1][2] * c[0][1] - c[1][3] * c[0][0];
  const double q0 = c[1][0] * c[0][2] - c[1][2] * c[0][0];
  const double discriminant = q1 * q1 - 4 * q2 * q0;
  if (discriminant > 0) {
    for (const double sign : {-1.0, 1.0}) {
      const double x = (-q1 + sign * std::sqrt(discriminant)) / (2 * q2);
      const double y = -(c[0][0] + c[0][1] * x) / (c[0][2] + c[0][3] * x);
      if (std::abs(x) < 1 && std::abs(y) < 1) result.insert("00");
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a multi-affine function takes its vertex values and is linear along every edge") {
  VertexTable table{Matrix(2, 4)};
  table.w << 1, 2, 3, 5, 0, 0, 0, 0;
  CHECK(interpolate(table, Eigen::Vector2d(-1, -1))[0] == 1);
  CHECK(interpolate(table, Eigen::Vector2d(1, 1))[0] == 5);
  CHECK(interpolate(table, Eigen::Vector2d(0, -1))[0] == doctest::Approx(1.5));
  CHECK(interpolate(table, Eigen::Vector2d(0, 0))[0] == doctest::Approx(11.0 / 4));
}

TEST_CASE("a weight of zero does not let a value that is not finite through") {
  VertexTable table{Matrix(1, 2)};
  table.w << 1, std::nan("");
  CHECK(interpolate(table, Vector::Constant(1, -1))[0] == 1);
}

TEST_CASE("10000 random corners have the continuations of an independent enumeration, never none, oddly many") {
  std::mt19937 random(20261120);
  std::normal_distribution<double> normal;
  int even = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    VertexTable table{Matrix(2, 4)};
    for (Index k = 0; k < 8; ++k) table.w.data()[k] = normal(random);
    const CornerAnswer answer = answer_of(table);
    std::multiset<std::string> found;
    for (const Continuation& continuation : answer.continuations) found.insert(word(continuation.sides));
    const std::multiset<std::string> expected = brute_force(table);
    REQUIRE(found == expected);
    REQUIRE_FALSE(found.empty());
    REQUIRE_FALSE(answer.incomplete);
    even += found.size() % 2 == 0 ? 1 : 0;
  }
  CHECK(even == 0);
}

TEST_CASE("random corners of three surfaces always have a continuation, and an odd number of them") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    VertexTable table{Matrix(3, 8)};
    for (Index k = 0; k < 24; ++k) table.w.data()[k] = normal(random);
    const CornerAnswer answer = answer_of(table);
    REQUIRE(answer.continuations.size() % 2 == 1);
    for (const Continuation& continuation : answer.continuations) {
      const Vector w = interpolate(table, continuation.lambda);
      for (Index i = 0; i < 3; ++i) {
        const Side side = continuation.sides[static_cast<std::size_t>(i)];
        if (side == Side::sliding) {
          CHECK(std::abs(w[i]) < 1e-10);
          CHECK(std::abs(continuation.lambda[i]) < 1);
        } else {
          CHECK(continuation.lambda[i] * w[i] > 0);
        }
      }
    }
  }
}

TEST_CASE("additive relays slide on the intersection and attract") {
  // w = (-2 l1 + 0.3, 0.5 l1 - l2)
  VertexTable table{Matrix(2, 4)};
  for (Index v = 0; v < 4; ++v) {
    const double l1 = v & 1 ? 1 : -1;
    const double l2 = v & 2 ? 1 : -1;
    table.w.col(v) << -2 * l1 + 0.3, 0.5 * l1 - l2;
  }
  const CornerAnswer answer = answer_of(table);
  REQUIRE(words(answer) == std::set<std::string>{"00"});
  const Continuation& only = answer.continuations.front();
  CHECK(only.p_matrix);
  CHECK(only.stability == Stability::attracting);
  CHECK(only.lambda[0] == doctest::Approx(0.15));
  CHECK(only.lambda[1] == doctest::Approx(0.075));
}

TEST_CASE("a spiral into the corner contracts by its return map") {
  // Case C04a: 1/2 per region.
  VertexTable table{Matrix(2, 4)};
  table.w.col(3) << -2, 1;
  table.w.col(2) << -1, -2;
  table.w.col(0) << 2, -1;
  table.w.col(1) << 1, 2;
  CHECK(return_map_factor(table) == doctest::Approx(1.0 / 16));
  CHECK(words(answer_of(table)) == std::set<std::string>{"00"});
  CHECK(half_branches(table, table.w, Vector::Unit(2, 0), Vector::Unit(2, 1)).code_word == "0000");
  // The other way round, the factors are inverted; fields that do not turn have none.
  const VertexTable outwards{-table.w};
  CHECK(return_map_factor(outwards) == doctest::Approx(16));
  VertexTable straight{Matrix::Ones(2, 4)};
  CHECK(return_map_factor(straight) == 0);
}

TEST_CASE("P-matrices have positive principal minors") {
  Matrix matrix(2, 2);
  matrix << 1, -3, 2, 1;
  CHECK(is_p_matrix(matrix));
  matrix << 1, 3, 2, 1;
  CHECK_FALSE(is_p_matrix(matrix));
}
