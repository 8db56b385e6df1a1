// A problem with one more event, in every location.
//
// It must not know what the event is for.
#pragma once

#include "slideway/model/automaton.hpp"

namespace slideway {

Automaton with_event(const Automaton& problem, const Event& event);

}  // namespace slideway
