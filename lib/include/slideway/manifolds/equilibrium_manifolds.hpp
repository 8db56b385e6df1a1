// Stable and unstable manifolds of saddles among equilibria and pseudo-equilibria, where they have one dimension: solutions that begin
// at the point in the direction of the only eigenvector whose eigenvalue has a positive real part, forwards for the unstable manifold and
// backwards in time (slideway/manifolds/time_reversal.hpp) for the stable one,
//
//     x(0) = x* ± ε v,      ε = 1e-6 of the sizes of the states: the manifold is off this line by the order ε².
//
// Surfaces that are slid along count as directions: one that attracts belongs to the stable manifold. So a pseudo-saddle of the plane,
// which attracts from the sides and repels along its surface, has the two sliding solutions for its unstable manifold, and for its
// stable one the two solutions that arrive at x* from the sides.
// Backwards from a surface that attracts the solution is not unique: it leaves at any point to either side. Where the stable manifold
// along the surface has one dimension the whole of it is a fan, of which some solutions are followed.
//
// It must not know file formats.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/manifolds/manifold_arc.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

struct ManifoldOptions {
  // Accuracy and method of the runs; its sensitivities, recording, callbacks and output times are not used.
  Options run = {.rtol = 1e-10};
  bool stable = true;  // which manifolds are followed
  bool unstable = true;
  double length = 0;  // ≥ 0, of a piece, in the units of the states; 0: ten times the sizes of the states
  double most_time = 0;  // ≥ 0, of a piece; 0: 1000 over the least rate of the eigenvalues
  double angle = 0.1;    // in (0, 1], in radians: between two points the manifold turns by no more
  Index fan = 8;         // ≥ 0 solutions to each side of a fan
  Vector sizes = {};     // of the states, n entries > 0; empty: those of the equilibria
};

struct EquilibriumManifolds {
  Equilibrium equilibrium = {};
  Index stable_dimensions = 0;  // the directions of sliding that attract included
  Index unstable_dimensions = 0;
  std::vector<ManifoldArc> arcs = {};
  std::vector<std::string> remarks = {};  // what is not followed, and why; and where a manifold is a fan
};

// One entry for each equilibrium that is admissible and a saddle, at the time t. Throws std::invalid_argument for options that make no
// sense, and for a problem with friction in a plane.
std::vector<EquilibriumManifolds> follow_manifolds(const Automaton& problem,
                                                   const std::vector<Equilibrium>& equilibria, double t,
                                                   const ManifoldOptions& options = {});

// Those of all equilibria that find_equilibria finds; sizes that are not given are those of its run. Throws as both.
std::vector<EquilibriumManifolds> find_manifolds(const Automaton& problem, const Run& run,
                                                 const EquilibriumOptions& search,
                                                 const ManifoldOptions& options = {});

}  // namespace slideway
