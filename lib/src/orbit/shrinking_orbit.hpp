// The boundary equilibrium bifurcation at which a branch of orbits ends: their amplitude A(p) goes linearly to zero at an equilibrium that
// lies at a limit of its mode, as that of a limit cycle that a piecewise linear field has beside its boundary focus.
//
// It must not know how orbits are followed.
#pragma once

#include <optional>
#include <vector>

#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

// `points` are those of the branch up to its end. Empty where no equilibrium of a mode of the last orbit explains the end.
std::optional<BranchBifurcation> shrinking_orbit(const OrbitFamily& family, const OrbitBranchOptions& options,
                                                 const std::vector<BranchPoint>& points);

}  // namespace slideway
