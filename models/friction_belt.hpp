// A block on a spring and a moving belt, under any law of friction:
//
//     x' = v,   m v' = −k x − F(v − vb),   z' by the law
//
// The parameter `law` is the number of the law in models/friction.hpp, from 1.
//
// It must not know integrators, files or the command line.
#pragma once

#include "models/friction.hpp"
#include "slideway/model/model.hpp"

namespace slideway::models {

struct FrictionBelt {
  friction::Law law = friction::Coulomb{};
  double m = 1, k = 1, vb = 0.2;

  void guards(auto /*t*/, const auto& x, auto&& h) const { h[0] = x[1] - vb; }
  void break_away(auto /*t*/, const auto& /*x*/, auto&& ratios) const {
    ratios[0] = friction::break_away(law);
  }
  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const auto relative = x[1] - vb;
    dx[0] = x[1];
    dx[1] = (-k * x[0] - friction::force(law, relative, lambda[0], x[2])) / m;
    dx[2] = friction::rate(law, relative, lambda[0], x[2]);
  }
};

Model friction_belt();

}  // namespace slideway::models
