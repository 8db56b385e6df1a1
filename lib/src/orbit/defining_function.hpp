// The defining function of a discontinuity-induced bifurcation: a quantity of a periodic orbit that vanishes where its events change.
//
//     GR, GS   the least distance to the surface, contact or guard of an event, of the orbit that does not touch it
//     CS, SS   the component dh/dt of the field beyond the surface where the orbit arrives at it
//     AS       the least of 1 − |λ| along the stretch of sliding that is not interrupted
//     ??       the time between two events that change their order
//
// All of them go through zero at a finite rate in the parameter, on orbits of one side. It must not know how orbits are found.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "slideway/filippov/sliding_rule.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/orbit_branch.hpp"

namespace slideway {

struct DefiningFunction {
  Bifurcation kind = Bifurcation::other;
  std::string reason = {};
  bool of_one = true;  // whether orbits as `one` have the value, else those as `other`
  // The value on an orbit of the problem with the same events; empty where it has none.
  std::function<std::optional<double>(const Automaton& problem, const PeriodicOrbit& orbit)> value = {};
};

// defining_function() explains the first difference between the events of two orbits. It is empty for a difference that the table does not
// list.
std::optional<DefiningFunction> defining_function(const PeriodicOrbit& one, const PeriodicOrbit& other,
                                                  SlidingRule rule);

}  // namespace slideway
