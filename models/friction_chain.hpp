// A chain of N blocks on a moving belt between two walls, each with dry friction of its own: as many relays as blocks.
//
//     x_i' = v_i
//     v_i' = k (x_{i−1} − 2 x_i + x_{i+1}) − kp x_i − mu sgn(v_i − vb),      x_0 = x_{N+1} = 0
//
// The relays do not see each other (∂w_i/∂λ_j = 0 for i ≠ j), so any number of blocks can stick at once without the
// cost of one event growing faster than N. States are x1 … xN, then v1 … vN.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct FrictionChainOf {
  Index blocks = 10;
  Number k = 1;
  Number kp = 0.1;
  Number mu = 0.3;
  Number vb = 0.1;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i] - vb;
  }

  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const Index last = blocks - 1;
    const auto force = [&](Index i) {
      auto sum = -(2 * k + kp) * x[i] - mu * lambda[i];
      if (i > 0) sum += k * x[i - 1];
      if (i < last) sum += k * x[i + 1];
      return sum;
    };
    for (Index i = 0; i < blocks; ++i) dx[i] = x[blocks + i];
    // All blocks but the first and the last are alike, which compilers see in a loop of their own.
    dx[blocks] = force(0);
    for (Index i = 1; i < last; ++i) dx[blocks + i] = force(i);
    dx[blocks + last] = force(last);
  }
};
using FrictionChain = FrictionChainOf<>;

Model friction_chain();

}  // namespace slideway::models
