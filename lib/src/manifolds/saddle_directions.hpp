// The directions in which solutions leave an equilibrium, forwards or backwards, and how many there are.
//
// It must not know how they are followed.
#pragma once

#include <string>

#include "slideway/core/types.hpp"
#include "slideway/filippov/sliding_rule.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/equilibria.hpp"

namespace slideway {

struct SaddleDirections {
  Index along = 0;   // with a growing motion in the mode of the equilibrium
  Index beside = 0;  // surfaces that are slid along and left
  Vector direction =
      {};  // n, of the only growing motion; its largest part, in sizes, is positive and `sizes` long
  Vector left = {};        // n, ℓ with ℓᵀ(x − x*) the part of that motion; ℓᵀ·direction = 1
  double slowest = 0;      // the least |Re μ| of the eigenvalues, 0 without any
  bool hyperbolic = true;  // no eigenvalue is neutral
  Index dimensions() const { return along + beside; }
};

// Those of growing motions forwards, or with `backwards` of shrinking ones. `sizes` are those of the states, n entries > 0.
SaddleDirections saddle_directions(const Automaton& problem, const Equilibrium& equilibrium, double t,
                                   const Vector& sizes, SlidingRule rule, bool backwards);

// Why no manifolds of the equilibrium are followed; "" where it is a saddle that they are followed of.
std::string why_no_saddle(const Equilibrium& equilibrium, const SaddleDirections& forwards,
                          const SaddleDirections& backwards);

}  // namespace slideway
