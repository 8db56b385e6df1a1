// Boundary equilibrium bifurcations: values p of a parameter at which an equilibrium comes to the end of where its mode holds,
//
//     m(p) = 0,      m the margin of the equilibrium x(p), as h(x(p)) of a surface or 1 − |λ(p)| of one that is slid along.
//
// There it meets an equilibrium of another mode. Either one is admissible below p and the other above, and the equilibrium persists in
// another mode; or both are admissible on the same side, and vanish together: a non-smooth fold.
//
// Newton's method solves the equations of the equilibrium and m = 0 at once for the state and p, so that both are exact to rounding.
// It must not know file formats.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/orbit/equilibria.hpp"

namespace slideway {

enum class BoundaryEquilibriumKind {
  persistence,     // one equilibrium becomes the other
  nonsmooth_fold,  // both exist on one side of p, and none on the other
  alone,           // no equilibrium of another mode is met, as where an event fires
};

// "persistence", "nonsmooth_fold", "alone".
const char* to_string(BoundaryEquilibriumKind kind);

struct BoundaryEquilibrium {
  BoundaryEquilibriumKind kind = BoundaryEquilibriumKind::alone;
  double parameter = 0;
  Equilibrium one = {};                   // at `parameter`
  std::optional<Equilibrium> other = {};  // that it meets; none where it is alone
  bool one_above = false;                 // whether it is admissible above `parameter`, and not below
  bool other_above = false;
  std::string reason = {};  // what stands against `one` where it is virtual
};

struct BoundaryEquilibriumOptions {
  EquilibriumOptions equilibria = {};
  double first = 0;  // of the parameter
  double last = 1;   // not equal to `first`
  Index points =
      21;  // ≥ 2, at which equilibria are looked for; between two of them one changes its side at most once
};

// Throws as find_equilibria, for options that make no sense, and whatever `problem` throws.
std::vector<BoundaryEquilibrium> find_boundary_equilibria(
    const std::function<Automaton(double value)>& problem, const Run& run,
    const BoundaryEquilibriumOptions& options);

}  // namespace slideway
