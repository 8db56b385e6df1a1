// Curves of bifurcations of periodic orbits in the plane of two parameters (a, b), by pseudo-arclength from one that is found on the branch in a
// (slideway/orbit/orbit_branch.hpp): zeros u = (x₀, T, a, b) of
//
//     F(x₀, T; a, b) = 0,     g(x₀, T; a, b) = 0,
//
//     SN       g of  (F_y  w; vᵀ  0)(q; g) = (0; 1),  y = (x₀, T), w and v near the null vectors
//     PD       the same with M + I of the monodromy matrix M in place of F_y
//     NS       g = ∏(|μ|² − 1) of the complex pairs of multipliers
//     GR … AS  g = the defining function of the change of events, as on a branch
//
// The last ones exist on one side of the curve alone, where orbits have the events that they had before the change. There the levels
// g = 1ε, 2ε and 4ε are solved, and u is extrapolated to g = 0 by a parabola: its error is of the order ε³, 1e-12 of the sizes.
// Located on a curve are the points at which a second function vanishes, named by both: "SN+GR", "PD+CS"; a cusp "CP"; on NS the resonances "R3"
// and "R4"; and "CS+SS", where one turns into the other; and "GR+GS" and the like where a
// curve ends since other events change, too. It must not know file formats.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/orbit/orbit_branch.hpp"
#include "slideway/orbit/parameter_span.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

// As OrbitFamily, of two parameters.
struct OrbitPlaneFamily {
  std::function<Automaton(double first, double second)> problem = {};
  std::function<double(double first, double second)> period = {};
};

struct OrbitCurvePoint {
  double first = 0;   // a
  double second = 0;  // b
  Bifurcation kind =
      Bifurcation::other;  // that of the curve, or where CS turns into SS or back the other one
  // Beside the curve, on the side that has the function, by ε; on curves of multipliers at the point itself.
  PeriodicOrbit orbit = {};
};

struct OrbitSpecialPoint {
  std::string name = {};  // as "SN+GR"
  double first = 0;
  double second = 0;
  std::string reason = {};  // what vanishes there besides
};

struct OrbitCurve {
  Bifurcation kind = Bifurcation::other;  // where it begins
  std::string before = {};                // the signatures on both sides there
  std::string after = {};
  std::string reason = {};                   // what vanishes along it
  std::vector<OrbitCurvePoint> points = {};  // in their order along the curve
  std::vector<OrbitSpecialPoint> special = {};
  bool closed = false;       // its end is its begin
  std::string message = {};  // why it ends inside of the ranges; "" where it does not
};

struct OrbitCurveOptions {
  OrbitOptions orbit = {};
  ParameterSpan first = {};   // of a
  ParameterSpan second = {};  // of b
  double begin = 0;           // the b of the branch in a, inside of its span
  // The part of the span of a that the branch goes along, in either direction; without one the whole.
  std::optional<ParameterSpan> branch = {};
  // All bifurcations of this kind on the branch have their curves followed; without one the first bifurcation alone.
  std::optional<Bifurcation> kind = {};
  Index most_points = 1000;  // of one curve in one direction
};

struct OrbitCurves {
  OrbitBranch branch = {};  // in a at b = begin
  std::vector<OrbitCurve> curves = {};
};

// The guess is for the first a of the branch and `begin`. Throws as follow_periodic_orbit, for options that make no sense, and for curves of BP, BE and ??, which
// have none.
OrbitCurves follow_orbit_curves(const OrbitPlaneFamily& family, const OrbitGuess& guess,
                                const OrbitCurveOptions& options);

}  // namespace slideway
