// Two relays, one of which acts on both surfaces; a ramp pulls the solution off them, one after the other.
//
//     x1' = −2 sgn(x1) + x3
//     x2' = −sgn(x2) + sgn(x1)/2 + c x3
//     x3' = 1
//
// On both surfaces λ₁ = x3/2 and λ₂ = (1/4 + c) x3, so the first lets go at x3 = 2. The second lets go at
// x3 = 1/(2c) if c < 1/4 and at the same instant if c = 1/4.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct TwoRelaysOf {
  Number c = 0.125;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }

  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -2.0 * lambda[0] + x[2];
    dx[1] = -lambda[1] + 0.5 * lambda[0] + c * x[2];
    dx[2] = 1.0;
  }
};
using TwoRelays = TwoRelaysOf<>;

Model two_relays();

}  // namespace slideway::models
