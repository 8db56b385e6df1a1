// A branch of periodic orbits, followed in one parameter by pseudo-arclength: from the orbit u = (x₀, T, p) the next one solves
//
//     F(x₀, T; p) = 0,     τᵀ(u − u* − τ·Δs) = 0,     τ the unit tangent at the orbit u* before,
//
// so that the branch is followed round folds. Between two orbits of one signature the multipliers tell bifurcations, which are
// located: a fold (p turns), a doubling of the period (a multiplier at −1), a torus (a complex pair on the unit circle). Where the
// signature changes, what vanishes there names the bifurcation, and its zero on the orbits of one side is the place. ∂F/∂p is a difference of two runs; the other derivatives are exact.
//
// It must not know file formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

// The problem for every value of the parameter, and the period of its drive; no period where the equations do not depend on t but
// for time events, which have theirs.
// The functions may throw std::invalid_argument for a value that makes no sense: the branch ends there.
struct OrbitFamily {
  std::function<Automaton(double value)> problem = {};
  std::function<double(double value)> period = {};
};

struct OrbitBranchOptions {
  OrbitOptions orbit = {};
  double first = 0;   // of the parameter, where the branch begins
  double last = 1;    // where it ends; not equal to `first`
  Index points = 21;  // ≥ 2: steps change the parameter by at most (last − first)/(points − 1)
  Index most_points = 1000;
};

enum class Bifurcation {
  fold,
  branch_point,  // a multiplier goes through 1, and p does not turn
  period_doubling,
  torus,
  boundary_equilibrium,  // the orbit shrinks to an equilibrium that lies on a surface or at an end of sliding
  grazing,               // a touch of a surface or contact without sliding
  grazing_sliding,       // a touch that begins to slide
  crossing_sliding,      // a crossing that begins to slide, and goes on to the other side
  switching_sliding,     // the begin of sliding moves off the part of the surface that attracts
  adding_sliding,        // sliding is interrupted
  other,                 // another signature, which none of these explains
};

// "SN", "BP", "PD", "NS", "BE", "GR", "GS", "CS", "SS", "AS", "??".
const char* to_string(Bifurcation kind);

struct BranchPoint {
  double parameter = 0;
  PeriodicOrbit orbit = {};
};

struct BranchBifurcation {
  Bifurcation kind = Bifurcation::other;
  double parameter = 0;
  PeriodicOrbit orbit = {};  // at the bifurcation; of a change of signature the last one before it
  std::string before = {};   // the signatures on both sides
  std::string after = {};
  std::string reason = {};  // what vanishes there
};

struct OrbitBranch {
  std::vector<BranchPoint> points = {};
  std::vector<BranchBifurcation> bifurcations = {};
  bool complete = false;     // the parameter came to `last`
  std::string message = {};  // why it did not
};

// The guess is for `first`. Throws as find_periodic_orbit, and for options that make no sense.
OrbitBranch follow_periodic_orbit(const OrbitFamily& family, const OrbitGuess& guess,
                                  const OrbitBranchOptions& options);

}  // namespace slideway
