// Where two surfaces cross in the plane: a constant field in each quadrant.
//
//     (x', y') = (x_pp, y_pp) where x > 0, y > 0,      (x_mp, y_mp) where x < 0, y > 0,
//                (x_pm, y_pm) where x > 0, y < 0,      (x_mm, y_mm) where x < 0, y < 0
//
// combined bilinearly on the surfaces x = 0 and y = 0. A preset for each of Korobitsyn and Frolova's sixteen code words
// W = w4w3w2w1: w1 … w4 belong to the half-branches y > 0, x > 0, y < 0, x < 0, and a bit is 0 where the mean of the two
// neighbouring fields points to the corner. The solution arrives along x = 0.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

struct Corner {
  double x_pp = 0, y_pp = 0, x_mp = 0, y_mp = 0, x_mm = 0, y_mm = 0, x_pm = 0, y_pm = 0;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }

  void field(auto /*t*/, const auto& /*x*/, const auto& lambda, auto&& dx) const {
    const auto mix = [&](double pp, double mp, double mm, double pm) {
      const auto upper = 0.5 * ((1.0 + lambda[0]) * pp + (1.0 - lambda[0]) * mp);
      const auto lower = 0.5 * ((1.0 + lambda[0]) * pm + (1.0 - lambda[0]) * mm);
      return 0.5 * ((1.0 + lambda[1]) * upper + (1.0 - lambda[1]) * lower);
    };
    dx[0] = mix(x_pp, x_mp, x_mm, x_pm);
    dx[1] = mix(y_pp, y_mp, y_mm, y_pm);
  }
};

Model corner();

}  // namespace slideway::models
