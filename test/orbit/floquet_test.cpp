// Floquet multipliers from a monodromy matrix and what the events of an orbit leave of it.
#include "orbit/floquet.hpp"

#include <doctest/doctest.h>

using namespace slideway;

TEST_CASE("a multiplier is an exact zero where an event leaves rounding errors of the only direction") {
  const Matrix before = Matrix::Constant(1, 1, 0.5), after = Matrix::Constant(1, 1, 4e-18);
  const auto multipliers = floquet_multipliers(2 * after, {{before, after, 1}}, {}, {});
  REQUIRE(multipliers.size() == 1);
  CHECK(multipliers[0].kind == MultiplierKind::exact_zero);
  CHECK(multipliers[0].value == 0.0);
}

TEST_CASE("a multiplier is ordinary where a reset shrinks the only direction to a millionth") {
  const Matrix before = Matrix::Constant(1, 1, 0.5), after = Matrix::Constant(1, 1, 5e-7);
  const auto multipliers = floquet_multipliers(2 * after, {{before, after, 1}}, {}, {});
  REQUIRE(multipliers.size() == 1);
  CHECK(multipliers[0].kind == MultiplierKind::ordinary);
  CHECK(multipliers[0].value == 1e-6);
}
