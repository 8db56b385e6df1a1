// Equilibria of problems that do not depend on time, stable or not: the zeros (x, λ_S, Λ_C) of
//
//     f(x, λ) + Σ b_c(x) Λ_c = 0,      hᵢ(x) = 0 for i in S,      gap_c(x) = 0 for c in C,
//
// with S the surfaces that are slid along, λᵢ = ±1 of the others, and C the contacts that are closed. Without S they are regular, with S
// they are pseudo-equilibria, zeros of the sliding field. Each mode is looked at by itself, with its fields beyond its surfaces, too:
// an equilibrium that lies where its mode does not hold is virtual.
//
// With A = ∂f/∂x, L the effects of (λ_S, Λ_C) and N the gradients of what is zero, the motion beside it is that of the largest subspace V
// of N V = 0 with A V in V + im L. So sliding takes away one direction, a closed contact two. The eigenvalues are those of R in
// A V + L F = V R.
//
// It must not know file formats.
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

enum class EquilibriumKind {
  regular,   // nothing slides
  pseudo,    // of the sliding field
  boundary,  // on a surface that is not slid along, at an end of sliding, or at a contact without force
};

// "regular", "pseudo", "boundary".
const char* to_string(EquilibriumKind kind);

struct Equilibrium {
  EquilibriumKind kind = EquilibriumKind::regular;
  // `admissible` is false for a virtual equilibrium, which is not where its mode holds; then `reason` says what
  // is beyond zero.
  bool admissible = true;
  std::string reason = {};
  // `margin` tells how far the equilibrium is inside of where its mode holds, below 0 for a virtual one. It is
  // the least of 1 − |λ|, of forces over the largest, and of guards, gaps and edges over their changes along the
  // sizes of the states. It is infinity where nothing ends the mode.
  double margin = std::numeric_limits<double>::infinity();
  std::string location =
      {};              // "" where the problem has no locations; the joined name where it slides between two
  Mode mode = {};      // one entry per surface, then one per contact, as in the events of a run
  Vector state = {};   // n
  Vector lambda = {};  // one per surface
  Vector forces = {};  // one per contact, 0 of open ones
  std::vector<std::complex<double>> eigenvalues =
      {};  // of the motion in this mode, per unit of t, the largest real part first
  // attracting is true where solutions beside the surfaces reach them. Empty without sliding, and where the
  // effects of the relays do not decide it.
  std::optional<bool> attracting = {};
  OrbitStability stability = OrbitStability::stable;
  bool stability_known = true;  // false where `attracting` should be known and is not
  Index continuum = 0;  // it is one of so many dimensions of them, as a block at rest on a rough floor
  double residual =
      0;  // the largest component of the equations, of their change over the sizes of the states
};

struct EquilibriumOptions {
  // Accuracy and method of the run that shows sizes, and where to begin.
  Options run = {};
  // Newton's method also begins at random in this box, n entries each; an empty box, or NaN in both, is the
  // region round the run.
  Vector lower = {}, upper = {};
  // Begins of Newton's method without a new equilibrium, ≥ 1, after which a mode is left; 0: 100, and 5 with more than 50 states.
  Index starts = 0;
  // Modes that are looked at, at most; with more there are only those of the run.
  Index most_modes = 729;
};

struct Equilibria {
  std::vector<Equilibrium> found = {};  // admissible ones first
  Index modes = 0;                      // that were looked at
  bool all_modes = true;                // whether these are all that there are
};

// The run shows the sizes of states. No search finds all equilibria for certain, except where fields are affine. Throws std::invalid_argument
// for a run or box that does not fit, for a problem that depends on time or acts at known times, and under the rule `moments`.
Equilibria find_equilibria(const Automaton& problem, const Run& run, const EquilibriumOptions& options = {});

}  // namespace slideway
