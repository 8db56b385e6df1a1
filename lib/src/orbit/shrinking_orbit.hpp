// The boundary equilibrium bifurcation at which a branch of orbits ends: their amplitude A(p) goes linearly to zero at an equilibrium that
// lies at a limit of its mode, as that of a limit cycle that a piecewise linear field has beside its boundary focus.
//
// It must not know how orbits are followed.
#pragma once

#include <optional>
#include <span>

#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

// shrinking_orbit() takes the points of the branch up to its end. It is empty if no equilibrium of a mode of the last orbit explains the end.
std::optional<BranchBifurcation> shrinking_orbit(const OrbitFamily& family, const OrbitBranchOptions& options,
                                                 std::span<const BranchPoint> points);

}  // namespace slideway
