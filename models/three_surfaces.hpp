// Sliding of codimension three: three relays, each of which acts on all surfaces, and a ramp that overcomes them.
//
//     x_i' = −a sgn(x_i) + b (sgn(x_j) + sgn(x_k)) + c_i z,      {i, j, k} = {1, 2, 3}
//     z'   = 1
//
// The effect of the relays on the surfaces, D = −(a + b) I + b (1 1 1)ᵀ(1 1 1), is such that the motion is unique where
// −a < b < a/2. On all three surfaces λ = −D⁻¹ c z.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct ThreeSurfacesOf {
  Number a = 2;
  Number b = 0.5;
  Number c1 = 0.5;
  Number c2 = 0.25;
  Number c3 = 0;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    for (Index i = 0; i < 3; ++i) h[i] = x[i];
  }

  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const auto all = lambda[0] + lambda[1] + lambda[2];
    dx[0] = -(a + b) * lambda[0] + b * all + c1 * x[3];
    dx[1] = -(a + b) * lambda[1] + b * all + c2 * x[3];
    dx[2] = -(a + b) * lambda[2] + b * all + c3 * x[3];
    dx[3] = 1.0;
  }
};
using ThreeSurfaces = ThreeSurfacesOf<>;

Model three_surfaces();

}  // namespace slideway::models
