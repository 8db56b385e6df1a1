// The formulas of Radau IIA: collocation at s points, the last one the end of the step, of order 2s − 1 there.
//
// It must not know what is integrated.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

struct Radau {
  explicit Radau(Index stages);

  Index stages;
  Vector nodes;    // s, the last one 1
  Matrix weights;  // s×s: a step of 1 from slopes at the nodes to a stage
  // Row k: the coefficients of 1, u, …, uˢ, u = 2θ − 1, of the polynomial that is 1 at node k of 0, c₁, …, cₛ and 0 at the others.
  Matrix through_start;
  Vector at_start;  // the value at 0 of the polynomial through the nodes, by the values there
  double defect;    // what differs at 0 from the slope there: h^s times this times a derivative
  double inside;    // the largest error of the polynomial through the start, likewise of h^(s + 2)
};

}  // namespace slideway
