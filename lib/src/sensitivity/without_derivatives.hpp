// Jumps after a delay and friction in a plane have no derivatives here: none is better than a wrong one.
//
// It must not know how derivatives are found.
#pragma once

#include "slideway/model/automaton.hpp"

namespace slideway {

// Throws std::invalid_argument for delays, and for friction in a plane.
void refuse_without_derivatives(const Automaton& automaton);

}  // namespace slideway
