// A follower of limited speed tracks a moving target, as an amplifier at its slew rate tracks its input.
//
//     x' = −k sgn(x − a sin(w t))
//
// The surface x = a sin(w t) moves. While |a w cos(w t)| < k the follower slides along it, with λ = −(a w/k) cos(w t);
// it falls behind where a w cos(w t) = ±k, follows a straight line of slope ±k and meets the target again
// where that line crosses a sin(w t).
//
// It must not know integrators, files or the command line.
#pragma once

#include <cmath>

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct MovingSurfaceOf {
  Number a = 1;
  Number w = 1;
  Number k = 0.8;

  void guards(auto t, const auto& x, auto&& h) const {
    using std::sin;
    h[0] = x[0] - a * sin(w * t);
  }

  void field(auto /*t*/, const auto& /*x*/, const auto& lambda, auto&& dx) const { dx[0] = -k * lambda[0]; }
};
using MovingSurface = MovingSurfaceOf<>;

Model moving_surface();

}  // namespace slideway::models
