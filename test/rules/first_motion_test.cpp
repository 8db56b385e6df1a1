// The way that a guard goes from its zero, as a table of motions x' = 1 and guards that are polynomials of x: the sign is that of the first
// coefficient that noise does not hide.
#include <doctest/doctest.h>

#include <cmath>

#include "rules/first_motion.hpp"

using namespace slideway;

TEST_CASE("a guard goes the way of its first derivative that is not zero") {
  struct Row {
    double first, second, third;  // of x, x², x³
    int way;
  };
  const Row rows[] = {
      {1, 0, 0, 1},  {-1, 0, 0, -1}, {0, 1, 0, 1},     {0, -1, 0, -1},     {0, 0, 1, 1}, {0, 0, -1, -1},
      {1, -1, 0, 1}, {0, -1, 1, -1}, {1e-4, -1, 0, 1}, {1e-13, -1, 0, -1}, {0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.first);
    CAPTURE(row.second);
    CAPTURE(row.third);
    const GuardMotion motion{.velocity = [](double, ConstVectorRef, VectorRef dx) { dx[0] = 1; },
                             .guard =
                                 [&](double, ConstVectorRef x) {
                                   return x[0] * (row.first + x[0] * (row.second + x[0] * row.third));
                                 },
                             .t = 0,
                             .x = Vector::Zero(1)};
    // Points within 10⁻¹² of each other are one point.
    const std::vector<Displacement> same{{.dt = 0, .dx = Vector::Constant(1, 1e-12)}};
    CHECK(first_motion(motion, same, 1e-15, {1e-6, 1}) == row.way);
  }
}
