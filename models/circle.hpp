// Sliding along a curved surface: the circle x1² + x2² = c.
//
//     inside   x' = (x1, x2)
//     outside  x' = (1, −1)
//
// The solution runs out to the circle, slides along it to (−√(c/2), −√(c/2)), where the outer field is tangent,
// and leaves in a straight line. With c = 2 and the default start it slides from t = ln(√(2/1.01)) and leaves
// from (−1, −1).
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct CircleOf {
  Number c = 2;

  void guards(auto /*t*/, const auto& x, auto&& h) const { h[0] = x[0] * x[0] + x[1] * x[1] - c; }

  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 0.5 * (1.0 + lambda[0]) + 0.5 * (1.0 - lambda[0]) * x[0];
    dx[1] = -0.5 * (1.0 + lambda[0]) + 0.5 * (1.0 - lambda[0]) * x[1];
  }
};
using Circle = CircleOf<>;

Model circle();

}  // namespace slideway::models
