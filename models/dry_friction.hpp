// A block on a spring with dry (Coulomb) friction, driven by a harmonic force.
//
//     x' = v,   v' = −x − mu sgn(v) + A cos(w t)
//
// While it sticks (v = 0) the friction balances the drive, λ = (A cos(w t) − x)/mu; it lets go when |λ| = 1.
// Every piece is a harmonic oscillator about a shifted centre, so all event times have closed forms.
//
// It must not know integrators, files or the command line.
#pragma once

#include <cmath>

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct DryFrictionOf {
  Number mu = 0.4;
  Number A = 1;
  Number w = 0.5;

  void guards(auto /*t*/, const auto& x, auto&& h) const { h[0] = x[1]; }

  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - mu * lambda[0] + A * cos(w * t);
  }
};
using DryFriction = DryFrictionOf<>;

Model dry_friction();

}  // namespace slideway::models
