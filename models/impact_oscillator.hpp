// A driven oscillator beside a rigid stop, the standard problem of grazing and chaos with impacts.
//
//     x'' = −x − 2 zeta x' + beta cos(w t),      gap d − x ≥ 0,      v⁺ = −e v⁻
//
// It must not know integrators, files or the command line.
#pragma once

#include <cmath>

#include "slideway/model/model.hpp"

namespace slideway::models {

struct ImpactOscillator {
  double zeta = 0.05;
  double beta = 1;
  double w = 2.6;

  void field(auto t, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - 2 * zeta * x[1] + beta * cos(w * t);
  }
};

Model impact_oscillator();

}  // namespace slideway::models
