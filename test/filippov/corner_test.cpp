#include "filippov/corner.hpp"

#include "filippov/korobitsyn_frolova.hpp"
#include "filippov/p_matrix.hpp"
#include "simulate/several_motions.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("motions beside a corner go round it and away, or come to it") {
  CornerOptions options;
  options.w_zero = Vector::Constant(2, 1e-13);
  VertexTable inwards{Matrix(2, 4)};
  inwards.w.col(3) << -2, 1;
  inwards.w.col(2) << -1, -2;
  inwards.w.col(0) << 2, -1;
  inwards.w.col(1) << 1, 2;
  CHECK(regions_of_leaving(inwards, options).empty());
  const VertexTable outwards{-inwards.w};
  std::set<std::string> regions;
  for (const std::vector<Side>& sides : regions_of_leaving(outwards, options)) regions.insert(word(sides));
  CHECK(regions == std::set<std::string>{"++", "+-", "-+", "--"});
  // Three relays of which the third attracts by itself: what the first two do decides.
  for (const bool leaves : {false, true}) {
    VertexTable three{Matrix(3, 8)};
    for (Index v = 0; v < 8; ++v) {
      three.w.col(v).head(2) = (leaves ? outwards : inwards).w.col(v & 3);
      three.w(2, v) = (v & 4) != 0 ? -1 : 1;
    }
    CornerOptions of_three;
    of_three.w_zero = Vector::Constant(3, 1e-13);
    CHECK(regions_of_leaving(three, of_three).empty() != leaves);
  }
}

TEST_CASE("several motions are at least two that differ in their modes or their relays") {
  const auto motion = [](const char* mode, double lambda) {
    return PossibleMotion{Mode(mode), Vector::Constant(1, lambda)};
  };
  CHECK_FALSE(SeveralMotions::of({}));
  CHECK_FALSE(SeveralMotions::of({motion("0", 0.1)}));
  CHECK_FALSE(SeveralMotions::of({motion("0", 0.1), motion("0", 0.1 + 1e-12)}));
  const auto continuum = SeveralMotions::of({motion("0", 0.1), motion("0", 0.3)});
  REQUIRE(continuum);
  CHECK(continuum->one_mode());
  const auto modes = SeveralMotions::of({motion("0", 0.1), motion("+", 1), motion("0", 0.1)});
  REQUIRE(modes);
  CHECK(modes->motions().size() == 2);
  CHECK_FALSE(modes->one_mode());
}

TEST_CASE("P-matrices have positive principal minors") {
  Matrix matrix(2, 2);
  matrix << 1, -3, 2, 1;
  CHECK(is_p_matrix(matrix));
  matrix << 1, 3, 2, 1;
  CHECK_FALSE(is_p_matrix(matrix));
}
