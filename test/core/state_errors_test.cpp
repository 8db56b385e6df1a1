#include "core/state_errors.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace slideway;

TEST_CASE("errors of states are of their size and do not cancel in differences of states near each other") {
  const Index n = 1000;
  const Vector x = Vector::LinSpaced(n, -1, 1);
  const Vector weights = Vector::LinSpaced(n, 10, 1e6);
  Vector off = x;
  add_errors(weights, off);
  const Vector errors = (off - x).cwiseProduct(weights);
  CHECK(errors.cwiseAbs().minCoeff() > 0.7);
  CHECK(errors.cwiseAbs().maxCoeff() < 1.3);
  for (const Index distance : {1, 2, 3, 4, 5, 10}) {
    CAPTURE(distance);
    CHECK((errors.tail(n - distance) - errors.head(n - distance)).cwiseAbs().minCoeff() > 0.05);
  }
}
