// Housner's rigid block that rocks about one bottom edge or the other, on ground that may shake.
//
//     q'' = −p² (sin(s alpha − q) + a(t) cos(s alpha − q)),      p² = 3 g/(4 R),   a = A cos(w t)
//     s = 1 in `right` (q > 0), −1 in `left`;       where q reaches 0:  q'⁺ = (1 − 3/2 sin² alpha) q'⁻
//
// q is the tilt, alpha the angle of slenderness, R the half-diagonal and a(t) the ground's acceleration over g. The
// impacts of a block that is let go accumulate, and it stands; it starts to rock where |a| exceeds tan alpha.
//
// It must not know integrators, files or the command line.
#pragma once

#include <cmath>

#include "slideway/model/model.hpp"

namespace slideway::models {

struct RockingBlock {
  double side = 1;
  double p = 1;
  double alpha = 0.25;
  double A = 0;
  double w = 3;

  void field(auto t, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    using std::cos;
    using std::sin;
    const auto lean = side * alpha - x[0];
    dx[0] = x[1];
    dx[1] = -p * p * (sin(lean) + A * cos(w * t) * cos(lean));
  }
};

Model rocking_block();

}  // namespace slideway::models
