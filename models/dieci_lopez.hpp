// Two stick-slip oscillators on one spring: Dieci and Lopez' motion that slides on two surfaces at once, periodically.
//
//     x1' = (x2 + x3)/2  + g x1 (x2 + 0.8)(x3 + 0.6)  where both surfaces are above 0
//     x2' = −x1 + 1/(1.2 − x2)  where x2 < 0.2,      −x1 − 1/(0.8 + x2)  where x2 > 0.2
//     x3' = −x1 + 1/(1.4 − x3)  where x3 < 0.4,      −x1 − 1/(0.6 + x3)  where x3 > 0.4
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct DieciLopezOf {
  Number g = 1;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    h[0] = x[1] - 0.2;
    h[1] = x[2] - 0.4;
  }

  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const auto first_above = 0.5 * (1.0 + lambda[0]);
    const auto second_above = 0.5 * (1.0 + lambda[1]);
    dx[0] = 0.5 * (x[1] + x[2]) + first_above * second_above * g * x[0] * (x[1] + 0.8) * (x[2] + 0.6);
    dx[1] = -x[0] + (1.0 - first_above) / (1.2 - x[1]) - first_above / (0.8 + x[1]);
    dx[2] = -x[0] + (1.0 - second_above) / (1.4 - x[2]) - second_above / (0.6 + x[2]);
  }
};
using DieciLopez = DieciLopezOf<>;

Model dieci_lopez();

}  // namespace slideway::models
