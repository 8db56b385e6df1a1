// The options of curves of bifurcations in the plane of two parameters, from what every interface is asked: the parameters and a kind by its name.
//
// It must not know how curves are followed.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/orbit/equilibrium_curves.hpp"
#include "slideway/orbit/orbit_curves.hpp"
#include "slideway/sweep/sweep_plan.hpp"

namespace slideway::apps {

// `bifurcation` names the kind of the curves: "SN", "HB" or "BE" of equilibria; "SN", "PD", "NS", "GR", "GS", "CS", "SS" or "AS" of orbits; "" for what is on
// the branches. Throws std::invalid_argument, which names the known ones, for any other name. The instance says where the second parameter begins.
EquilibriumCurveOptions equilibrium_curve_options(const std::vector<SweepAxis>& axes,
                                                  const ModelInstance& instance,
                                                  const std::string& bifurcation,
                                                  const EquilibriumOptions& search);
OrbitCurveOptions orbit_curve_options(const std::vector<SweepAxis>& axes, const ModelInstance& instance,
                                      const std::string& bifurcation, const OrbitOptions& search);

}  // namespace slideway::apps
