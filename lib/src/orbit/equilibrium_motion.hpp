// The motion beside an equilibrium in its mode, with its directions: what the eigenvalues of an Equilibrium are those of.
//
// It must not know what is made of the directions.
#pragma once

#include "orbit/equilibrium_equations.hpp"
#include "orbit/zero_dynamics.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/sliding_rule.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/equilibria.hpp"

namespace slideway {

// x' = A x + L u with N x = 0, of states divided by their sizes; the rows of N have length 1, or 0.
struct EquilibriumLinearisation {
  Matrix a = {};
  Matrix l = {};
  Matrix n = {};
};

// `jacobian` is that of the equations at a zero, whose unknowns are states divided by `sizes`.
EquilibriumLinearisation linearisation_of(const Matrix& jacobian, const EquilibriumEquations& equations,
                                          const Vector& sizes);

// In the mode of the equilibrium, for states divided by `sizes`, n entries > 0. Throws what the problem throws.
ZeroMotion motion_beside(const Automaton& problem, const Equilibrium& equilibrium, double t,
                         const Vector& sizes, SlidingRule rule);

}  // namespace slideway
