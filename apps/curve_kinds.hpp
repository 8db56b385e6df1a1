// The bifurcations whose curves in two parameters are followed, by their names.
//
// It must not know how curves are followed.
#pragma once

#include <optional>
#include <string>

#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/orbit_branch.hpp"

namespace slideway::apps {

// Those of equilibria ("SN", "HB", "BE") and of orbits ("SN", "PD", "NS", "GR", "GS", "CS", "SS", "AS"); none for "". Throws std::invalid_argument,
// which names the known ones, for any other name.
std::optional<EquilibriumBifurcation> equilibrium_curves_named(const std::string& name);
std::optional<Bifurcation> orbit_curves_named(const std::string& name);

}  // namespace slideway::apps
