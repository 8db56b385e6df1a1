// Homoclinic and heteroclinic connections of saddles in the plane, as zeros of their gap in a parameter p:
//
//     γ(p) = y_u(p) − y_s(p),      y the other state where the manifolds first come to the section x_i = c in the same direction,
//
// with u the unstable manifold of one saddle and s the stable manifold of the same or another one. γ is found at the values of a
// range; where it changes its sign the zero is located by the secant method to rounding. Saddles may be pseudo-equilibria, and
// manifolds slide and are hit. A gap that jumps through zero is no connection.
//
// It must not know file formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/manifolds/equilibrium_manifolds.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

struct ConnectionOptions {
  EquilibriumOptions equilibria = {};
  ManifoldOptions manifolds = {};  // `stable`, `unstable` and `fan` are not used
  double first = 0;                // of the parameter
  double last = 1;                 // not equal to `first`
  Index points =
      21;  // ≥ 2, at which the gaps are found; between two of them a gap changes its sign at most once
  Index state = 0;   // i of the section
  double value = 0;  // c
};

// The gap of two branches over the parameter.
struct ConnectionGap {
  std::size_t from = 0;  // the numbers of the saddles, in the order in which they are met
  std::size_t to = 0;
  int from_side = 1;  // 1 and -1, the first and the second branch of the unstable and of the stable manifold
  int to_side = 1;
  bool rising = true;  // x_i rises where they come to the section
  std::vector<double> parameters = {};
  std::vector<double> gaps = {};
};

struct Connection {
  double parameter = 0;
  std::size_t from = 0;
  std::size_t to = 0;  // `from` of a homoclinic connection
  int from_side = 1;
  int to_side = 1;
  Vector state = {};                   // on the section
  double gap = 0;                      // that is left, in the unit of the state
  EquilibriumManifolds unstable = {};  // of the saddle that it leaves, with the branch
  EquilibriumManifolds stable = {};    // of the saddle that it comes to
};

struct Connections {
  std::vector<Equilibrium> saddles = {};  // where they are first met
  std::vector<ConnectionGap> gaps = {};
  std::vector<Connection> found = {};
};

// Throws std::invalid_argument for a problem with other than two states, for options that make no sense, as find_manifolds, and whatever
// `problem` throws.
Connections find_connections(const std::function<Automaton(double value)>& problem, const Run& run,
                             const ConnectionOptions& options);

}  // namespace slideway
