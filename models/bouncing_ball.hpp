// A ball that falls on the floor and bounces until it lies still.
//
//     x'' = −g,      gap x ≥ 0,      v⁺ = −e v⁻
//
// From the height x₀ the impacts are at t₀ (1 + 2 (e + … + eᵏ)) with t₀ = √(2 x₀/g); they accumulate at
// t₀ (1 + e)/(1 − e), and from then on the floor carries the ball.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

struct BouncingBall {
  double g = 9.8;

  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -g;
  }
};

Model bouncing_ball();

}  // namespace slideway::models
