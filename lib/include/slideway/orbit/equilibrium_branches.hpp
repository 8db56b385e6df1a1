// Branches of equilibria and pseudo-equilibria in one parameter p, each of one mode, by pseudo-arclength: from the zero u = (z, p) of
// the equations of an equilibrium (slideway/orbit/equilibria.hpp) the next one solves
//
//     F(z; p) = 0,     τᵀ(u − u* − τ·Δs) = 0,     τ the unit tangent at the zero u* before,
//
// so that a branch is followed round its folds, and on where the equilibrium is virtual. Located on it, to rounding where they are simple:
//
//     SN   fold                   p turns: the share of p in τ vanishes
//     BP   branch point           det(F_u; τᵀ) vanishes, and p does not turn
//     HB   Hopf                   a complex pair of eigenvalues comes to the imaginary axis
//     BE   boundary equilibrium   a limit of the mode vanishes, as a guard or 1 − |λ|, and no other is below zero
//
// It must not know file formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slideway/orbit/equilibria.hpp"

namespace slideway {

enum class EquilibriumBifurcation { fold, branch_point, hopf, boundary_equilibrium };

// "SN", "BP", "HB", "BE".
const char* to_string(EquilibriumBifurcation kind);

struct EquilibriumPoint {
  double parameter = 0;
  Equilibrium equilibrium = {};
};

struct EquilibriumBranchBifurcation {
  EquilibriumBifurcation kind = EquilibriumBifurcation::fold;
  double parameter = 0;
  Equilibrium equilibrium = {};  // at the bifurcation
  std::string reason = {};       // what vanishes there
};

struct EquilibriumBranch {
  std::vector<EquilibriumPoint> points = {};  // in their order along the branch
  std::vector<EquilibriumBranchBifurcation> bifurcations = {};
  std::string message = {};  // why it ends inside of the range; "" where it does not
};

struct EquilibriumBranchOptions {
  EquilibriumOptions equilibria = {};
  double first = 0;  // of the parameter
  double last = 1;   // not equal to `first`
  Index points =
      21;  // ≥ 2: equilibria are looked for at so many values, and steps change p by at most one of the parts between
  Index most_points = 1000;  // of one branch
};

// All branches through the equilibria at the values of the parameter, admissible or virtual; those that are one of a continuum are left out.
// Throws as find_equilibria, for options that make no sense, and whatever `problem` throws at those values.
std::vector<EquilibriumBranch> follow_equilibria(const std::function<Automaton(double value)>& problem,
                                                 const Run& run, const EquilibriumBranchOptions& options);

}  // namespace slideway
