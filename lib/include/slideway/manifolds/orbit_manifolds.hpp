// Stable and unstable manifolds of periodic orbits as curves in a section, where they have one dimension there: the plane of the start
// time for a driven problem, whose map P is one period, and for an autonomous one the plane f(a)ᵀ(x − a) = 0 through the state a of
// the orbit, with P the return to it.
//
// The curve is the union of the images of a short piece of the eigenvector v of the multiplier μ, |μ| > 1,
//
//     Pᵏ(a ± e^p δ v),      0 ≤ p ≤ ln|μ|,      k = 0, 1, 2, …      δ = 1e-6 of the sizes of the states,
//
// with P² in place of P for μ < 0. Every point is an image itself: between two of them p is halved until their distance and the
// angle between chords are small (Krauskopf and Osinga's conditions, Chaos 7, 1997, with the points of Hobson's, J. Comput. Phys. 104,
// 1993), so that points have the accuracy of runs. Where a run meets other events the curve may have a corner, or a gap. The stable
// manifold is the unstable one of the problem backwards in time (slideway/manifolds/time_reversal.hpp).
//
// An orbit that slides has multipliers that are exactly 0, and its stable manifold is a fan: whatever arrives at the sliding piece of the orbit
// is on the orbit from there. Then p is the time on that piece at which solutions, backwards, leave it to either side.
//
// It must not know file formats.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/manifolds/manifold_arc.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

struct OrbitManifoldOptions {
  // Accuracy and method of the runs; its sensitivities, recording, callbacks and output times are not used.
  Options run = {.rtol = 1e-10};
  bool stable = true;  // which manifolds are followed
  bool unstable = true;
  double length =
      0;  // ≥ 0, of a curve, in the units of the states; 0: ten times the sizes of the states on the orbit
  double distance = 0.02;   // in (0, 1], of the sizes of the states: two points are no further apart
  double angle = 0.2;       // in (0, 1], in radians between chords
  double least = 1e-4;      // in (0, 1], of the sizes of the states: nearer points are not divided
  Index most_runs = 20000;  // ≥ 1, of a curve
};

struct OrbitManifoldPoint {
  double arclength = 0;  // from the orbit along the curve, without gaps, in the units of the states
  Vector state = {};     // n
  std::string location = {};
  Index returns = 0;  // k, how often the map has been applied
  bool after_gap = false;
};

struct OrbitManifoldCurve {
  ManifoldKind kind = ManifoldKind::unstable;
  ManifoldPiece piece = ManifoldPiece::branch;
  double multiplier = 0;
  Vector direction = {};  // n, of a branch
  std::vector<OrbitManifoldPoint> points = {};
  bool complete = false;     // it is as long as asked
  std::string message = {};  // why it is not
  Index runs = 0;
};

struct OrbitManifolds {
  Index stable_dimensions = 0;  // in the section
  Index unstable_dimensions = 0;
  double time = 0;     // of the section of a driven problem
  Vector normal = {};  // n, f(a) of an autonomous problem, else empty
  std::vector<OrbitManifoldCurve> curves = {};
  std::vector<std::string> remarks = {};  // what is not followed, and why; and where a manifold is a fan
};

// The orbit is one that find_periodic_orbit has found for this problem. Throws std::invalid_argument for options that make no sense, for an
// orbit that is not admissible, and for problems with discrete states or friction in a plane.
OrbitManifolds follow_orbit_manifolds(const Automaton& problem, const PeriodicOrbit& orbit,
                                      const OrbitManifoldOptions& options = {});

}  // namespace slideway
