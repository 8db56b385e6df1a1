// Relay feedback round a third-order plant whose sliding motion is unstable: it slides, lets go and comes back.
//
//     G(s) = (s² − 2 sigma s + 1) / ((s + lambda)(s² + 2 zeta omega s + omega²)),   u = −sgn(y)
//
// in observer form, y = x1:
//
//     x1' = −(2 zeta omega + lambda) x1 + x2 + u
//     x2' = −(2 zeta omega lambda + omega²) x1 + x3 − 2 sigma u
//     x3' = −lambda omega² x1 + u
//
// It slides on x1 = 0 where |x2| < 1, along the plant's zero dynamics s² − 2 sigma s + 1, unstable for sigma > 0.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct RelayOf {
  Number omega = 25;
  Number zeta = 0.05;
  Number lambda = 1;
  Number sigma = 1;

  void guards(auto /*t*/, const auto& x, auto&& h) const { h[0] = x[0]; }

  void field(auto /*t*/, const auto& x, const auto& sign, auto&& dx) const {
    dx[0] = -(2 * zeta * omega + lambda) * x[0] + x[1] - sign[0];
    dx[1] = -(2 * zeta * omega * lambda + omega * omega) * x[0] + x[2] + 2 * sigma * sign[0];
    dx[2] = -lambda * omega * omega * x[0] - sign[0];
  }
};
using Relay = RelayOf<>;

Model relay();

}  // namespace slideway::models
