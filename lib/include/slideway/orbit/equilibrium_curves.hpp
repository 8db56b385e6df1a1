// Curves of bifurcations of equilibria in the plane of two parameters (a, b), by pseudo-arclength from those that are found on the branches in a
// (slideway/orbit/equilibrium_branches.hpp): zeros u = (z, a, b) of
//
//     F(z; a, b) = 0,     g(z; a, b) = 0,
//
//     SN   g of  (F_z  w; vᵀ  0)(q; g) = (0; 1),      w and v near the null vectors of F_zᵀ and F_z
//     HB   g = ∏(μᵢ + μⱼ) of the eigenvalues
//     BE   g = the margin of a limit of the mode
//
// Both directions are followed, to the ends of the ranges. Located on a curve, to rounding where they are simple, are the points at which a
// second function vanishes:
//
//     CP      cusp               on SN    a and b turn together: vᵀ g_z vanishes
//     BT      Bogdanov-Takens    SN, HB   two eigenvalues are 0; beyond it a curve HB is one of neutral saddles
//     ZH      fold-Hopf          SN, HB   an eigenvalue is 0, and a pair is on the imaginary axis
//     HH      double Hopf        on HB    two pairs are on the imaginary axis
//     SN+BE   fold               at a limit of the mode: there persistence and non-smooth fold meet
//     HB+BE   Hopf               at a limit of the mode
//     BE+BE                      two limits of the mode are met at once
//
// A branch point has no curve in general: a second parameter unfolds it. It must not know file formats.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/orbit/boundary_equilibria.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/parameter_span.hpp"

namespace slideway {

enum class EquilibriumCodimensionTwo {
  cusp,
  bogdanov_takens,
  fold_hopf,
  double_hopf,
  boundary_fold,
  boundary_hopf,
  double_boundary
};

// "CP", "BT", "ZH", "HH", "SN+BE", "HB+BE", "BE+BE".
const char* to_string(EquilibriumCodimensionTwo kind);

struct EquilibriumCurvePoint {
  double first = 0;   // a
  double second = 0;  // b
  Equilibrium equilibrium = {};
  bool neutral_saddle = false;  // on a curve HB two real eigenvalues with the sum 0, where no orbit begins
  // `boundary` tells persistence from a non-smooth fold; it is `alone` on other curves.
  BoundaryEquilibriumKind boundary = BoundaryEquilibriumKind::alone;
};

struct EquilibriumSpecialPoint {
  EquilibriumCodimensionTwo kind = EquilibriumCodimensionTwo::cusp;
  double first = 0;
  double second = 0;
  Equilibrium equilibrium = {};
  std::string reason = {};  // what vanishes there besides
};

struct EquilibriumCurve {
  EquilibriumBifurcation kind = EquilibriumBifurcation::fold;
  std::string reason = {};                         // what vanishes along it
  std::vector<EquilibriumCurvePoint> points = {};  // in their order along the curve
  std::vector<EquilibriumSpecialPoint> special = {};
  bool closed = false;       // its end is its begin
  std::string message = {};  // why it ends inside of the ranges; "" where it does not
};

struct EquilibriumCurveOptions {
  EquilibriumOptions equilibria = {};
  ParameterSpan first = {};   // of a
  ParameterSpan second = {};  // of b
  double begin = 0;           // the b of the branches in a, inside of its span
  // The bifurcations whose curves are followed, those of this kind; without one all but branch points.
  std::optional<EquilibriumBifurcation> kind = {};
  Index most_points = 1000;  // of one curve in one direction
};

// Each curve once, those through several bifurcations of the branches, too. Throws as follow_equilibria, for options that make no sense, and for
// curves of branch points.
std::vector<EquilibriumCurve> follow_equilibrium_curves(
    const std::function<Automaton(double first, double second)>& problem, const Run& run,
    const EquilibriumCurveOptions& options);

}  // namespace slideway
