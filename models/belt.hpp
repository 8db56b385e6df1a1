// A block on a moving belt, held by a spring: friction falls with the sliding speed, so the block sticks and slips.
//
//     x' = v,   v' = −x − s (mk + (ms − mk) exp(−s (v − vb)/vs)),      s = sgn(v − vb)
//
// s (v − vb) is the sliding speed |v − vb|: friction is ms at rest and falls to mk over the speed vs. It is
// Coulomb friction when ms = mk. The field is written for s = ±1 only (`from_signs`): exp(−s …) is not
// affine in s, and Filippov's combination of the two sides is meant where the block sticks.
//
// It must not know integrators, files or the command line.
#pragma once

#include <cmath>

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct BeltOf {
  Number ms = 1;
  Number mk = 0.5;
  Number vs = 0.5;
  Number vb = 0.5;

  void guards(auto /*t*/, const auto& x, auto&& h) const { h[0] = x[1] - vb; }

  void field(auto /*t*/, const auto& x, const auto& s, auto&& dx) const {
    using std::exp;
    dx[0] = x[1];
    dx[1] = -x[0] - s[0] * (mk + (ms - mk) * exp(-s[0] * (x[1] - vb) / vs));
  }
};
using Belt = BeltOf<>;

Model belt();

}  // namespace slideway::models
