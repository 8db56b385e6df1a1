// Friction in a plane where nothing is known of its derivatives.
//
// It must not know how derivatives are found.
#pragma once

#include <string>

#include "slideway/model/automaton.hpp"

namespace slideway {

// Throws std::invalid_argument for friction in a plane; `what`, as "sensitivities", is not available.
void refuse_cone_friction(const Automaton& automaton, const std::string& what);

}  // namespace slideway
