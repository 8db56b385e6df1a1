// Two masses on springs that collide on either side of a slot: the smaller moves in a slot of the other.
//
//     m1 x1'' = −k1 x1 − c1 x1' + F0 + F cos(w t) − Λ,     m2 x2'' = −k2 x2 − c2 x2' + Λ
//     gaps d − (x1 − x2) ≥ 0 and d + (x1 − x2) ≥ 0,        relative velocity⁺ = −e relative velocity⁻
//
// Momentum is conserved at impacts. They accumulate; the masses then move as one, until the force between them would
// pull, and part.
//
// It must not know integrators, files or the command line.
#pragma once

#include <cmath>

#include "slideway/model/model.hpp"

namespace slideway::models {

struct ImpactPair {
  double m1 = 2;
  double m2 = 1;
  double k1 = 30;
  double k2 = 20;
  double c1 = 0.6;
  double c2 = 0.6;
  double F0 = 35;
  double F = 30;
  double w = 1.38;

  void field(auto t, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = (-k1 * x[0] - c1 * x[1] + F0 + F * cos(w * t)) / m1;
    dx[2] = x[3];
    dx[3] = (-k2 * x[2] - c2 * x[3]) / m2;
  }
};

Model impact_pair();

}  // namespace slideway::models
