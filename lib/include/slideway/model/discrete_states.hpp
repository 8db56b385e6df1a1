// The states of a system that have no derivative, behind the doors that take a user's field.
//
// It must not know what moves them.
#pragma once

#include "slideway/model/system.hpp"

namespace slideway {

// Makes the derivatives of the last SystemDefinition::discrete states 0, whatever the field sets for them, or if it sets nothing.
void hold_discrete_states(SystemDefinition& definition);

}  // namespace slideway
