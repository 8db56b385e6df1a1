// Mosterman, Zhao & Biswas' evaporator: a vessel that fills, with an overflow pipe at the level L_th.
//
//     p' = −(R_pipe/I) p + s L
//     L' = (f_in − L/R_b − s p/I) / C          s = 1 above the overflow level, 0 below
//
// p is the momentum in the overflow pipe, L the level, with capacity C and drain R_b. Below L_th the
// equations are meant literally: the pipe's outflow does not lower the level there, and that is what makes
// the two fields push against each other. With 1/12 < L_th < 1/4 (and the other defaults) the level crosses
// L_th, comes back and slides, settling at p = √(L_th (f_in − L_th)/2). Below 1/12 the overflow stays open,
// above 1/4 it never opens.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct EvaporatorOf {
  Number R_b = 1;
  Number R_pipe = 0.5;
  Number I = 0.5;
  Number C = 15;
  Number f_in = 0.25;
  Number L_th = 0.1;

  void guards(auto /*t*/, const auto& x, auto&& h) const { h[0] = x[1] - L_th; }

  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const auto& p = x[0];
    const auto& L = x[1];
    dx[0] = -(R_pipe / I) * p + 0.5 * (1.0 + lambda[0]) * L;
    dx[1] = (f_in - L / R_b - 0.5 * (1.0 + lambda[0]) * p / I) / C;
  }
};
using Evaporator = EvaporatorOf<>;

class Values;

// The parameters with their defaults, and the functor with their values, of which those that make no sense are refused.
std::vector<Parameter> evaporator_parameters();
Evaporator evaporator_of(const Values& values);

Model evaporator();

}  // namespace slideway::models
