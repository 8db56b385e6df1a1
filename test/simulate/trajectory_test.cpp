#include <doctest/doctest.h>

#include "slideway/simulate/trajectory.hpp"

using namespace slideway;

TEST_CASE("the derivative of a recorded polynomial is that of its states") {
  Trajectory trajectory(2, nullptr);
  trajectory.begin_segment(1, Mode(1));
  Matrix coefficients(2, 3);
  coefficients << 1, 2, 3,  //
      -1, 0, 4;
  trajectory.add_step(1, 3, 2, 0.5, coefficients);
  Vector dx(2);
  // With s = (t − 2)/0.5, x₁ = 1 + 2s + 3s² and x₂ = −1 + 4s².
  trajectory.derivative(0, 2.25, dx);
  CHECK(dx[0] == doctest::Approx((2 + 6 * 0.5) / 0.5));
  CHECK(dx[1] == doctest::Approx(8 * 0.5 / 0.5));
  CHECK_FALSE(trajectory.step(0).has_parts);
}

TEST_CASE("states with polynomials of their own have the derivatives of these") {
  Trajectory part(1, nullptr);
  part.begin_segment(0, Mode(1));
  part.add_step(0, 1, 0, 1, Matrix{{2.0, -3.0}});
  part.add_step(1, 2, 1, 1, Matrix{{-1.0, 5.0}});
  Trajectory trajectory(2, nullptr);
  trajectory.begin_segment(0, Mode(1));
  trajectory.share_polynomial(0, 1, Matrix{{1.0, 7.0}, {0.0, 0.0}});
  trajectory.add_part({1}, part);
  trajectory.add_piece(0, 1);
  trajectory.add_piece(1, 2);
  Vector dx(2);
  trajectory.derivative(0, 0.5, dx);
  CHECK(dx == Vector{{7.0, -3.0}});
  trajectory.derivative(0, 1.5, dx);
  CHECK(dx == Vector{{7.0, 5.0}});
  CHECK(trajectory.step(1).has_parts);
}
