// Orbits while two parameters vary: unknowns u = (x₀/sizes, T/T*, s, r) with s and r the shares of the ranges, and T where it is unknown.
//
// A shot is a run from u over T, which need not come back. It must not know bifurcations.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "orbit/shooting.hpp"
#include "slideway/core/types.hpp"
#include "slideway/orbit/orbit_curves.hpp"

namespace slideway {

// A run from u over one period, as an orbit with its monodromy matrix.
struct PlaneShot {
  PeriodicOrbit orbit = {};
  Vector value = {};   // F, m entries, zero where the orbit is periodic
  Matrix by_y = {};    // F_y, m × m
  Matrix scaled = {};  // the monodromy matrix of states in their sizes, n × n
  std::shared_ptr<const Automaton> problem = {};
};

class OrbitPlane {
 public:
  // Sizes, the begin of the orbit and the phase are those of `anchor`. The arguments but the last are kept by reference.
  OrbitPlane(const OrbitPlaneFamily& family, const OrbitCurveOptions& options, const PeriodicOrbit& anchor,
             double first, double second);
  ~OrbitPlane();

  bool autonomous() const { return autonomous_; }
  // n, and one more where the period is unknown.
  Index equations() const { return sizes_.size() + (autonomous_ ? 1 : 0); }
  Vector unknowns_of(const PeriodicOrbit& orbit, double first, double second) const;
  double first(const Vector& u) const;
  double second(const Vector& u) const;

  // Nothing where the run does not come to its end or has no derivative.
  std::optional<PlaneShot> shot(const Vector& u);
  // The orbit at the parameters of u, searched from there; nothing where the search does not converge.
  std::optional<PeriodicOrbit> orbit_at(const Vector& u);

 private:
  struct Member;
  Member* member_of(const Vector& u);

  const OrbitPlaneFamily& family_;
  const OrbitCurveOptions& options_;
  bool autonomous_;
  OrbitGuess anchor_;
  Vector sizes_, clocks_;
  std::vector<Index> held_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace slideway
