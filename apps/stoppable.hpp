// Problems that a search leaves soon once somebody asks for its end: it then tells what it has found until there.
//
// It must not know searches.
#pragma once

#include <functional>

#include "slideway/model/automaton.hpp"
#include "slideway/model/model.hpp"

namespace slideway::apps {

// Tells whether the end was asked for. Several threads may call it at once.
using StopQuestion = std::function<bool()>;

// stoppable() returns the same model, instance or automaton, whose fields throw std::invalid_argument once `is_asked` returns true. Until then all values are those of the original. `is_asked` is kept as long as what is returned.
Automaton stoppable(const Automaton& automaton, const StopQuestion& is_asked);
ModelInstance stoppable(ModelInstance instance, const StopQuestion& is_asked);
Model stoppable(const Model& model, const StopQuestion& is_asked);

}  // namespace slideway::apps
