// Locates the change of signature between two orbits of a branch, as a zero of the quantity ν ≥ 0 that vanishes there: the time
// between two events, or the jump of an impact. Orbits of the side that has these events are a branch u(ν) with
//
//     u(ν), p(ν) analytic at ν = 0,      for p* = p(0):  p − p* ~ ν (CS, SS) or ν² (GR, GS, AS),
//
// since the events are zeros of analytic functions of time, whose double zero splits. p(0) is extrapolated from orbits with ν → 0 by
// polynomials in ν (Neville), whose last one predicts the next orbit. (di Bernardo, Budd, Champneys & Kowalczyk 2008, ch. 6 – 8.)
// Where no such quantity is found, or no orbits close enough to the change, the place is bisected, and the reason says so.
//
// It must not know how orbits are found, nor the rest of the branch.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "orbit/branch_place.hpp"
#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

// Returns the orbit on the plane through u with this normal, or nothing where none is found.
using OrbitOnPlane = std::function<std::optional<BranchPlace>(const Vector& u, const Vector& normal)>;

// Returns true for the same events, perhaps from another begin of the orbit on. A touch of a surface does not count: it changes nothing, and
// whether it is seen is a matter of the tolerance.
bool has_same_events(const PeriodicOrbit& one, const PeriodicOrbit& other);

// The two have different events, and are neighbours on the branch. `rtol` is that of the orbits.
BranchBifurcation locate_signature_change(const BranchPlace& one, const BranchPlace& other,
                                          const OrbitOnPlane& orbit_on_plane, double rtol);

}  // namespace slideway
