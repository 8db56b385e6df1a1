// The end of a branch whose orbits shrink to a point on a switching surface: a boundary equilibrium bifurcation (BE).
//
//     A(p) → 0 at p*,      h(x*) = 0,      f(x*, λ) = 0 on one side of the surface, λ = ±1
//
// with A the root mean square distance of the states at the events from their mean. Near such a point the equations are homogeneous in x − x* and p − p* to first order, so
// that p and x are analytic in A. p* and x* are extrapolated to A = 0. (di Bernardo, Budd, Champneys & Kowalczyk 2008, ch. 5.)
//
// It must not know how the branch is followed.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

// The points are those of a branch, to its end. Returns nothing where the last orbits do not shrink, or not to such a point.
std::optional<BranchBifurcation> boundary_equilibrium_at_end(
    const std::vector<BranchPoint>& points, const std::function<Automaton(double value)>& problem);

}  // namespace slideway
