// Random models of the whole language of model files: plants as people write them, with flags, clamps, tables, memories, automata
// and contacts in each other. Every motion is bounded: plants are damped, and what drives them is bounded.
//
// It must not know how a model is followed or judged.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "validation/language/language_model.hpp"
#include "validation/random/draw.hpp"

namespace slideway::validation::language {

// The plants that a model may begin with.
std::vector<std::string> plant_names();

// A model that begins with the plant of this place among plant_names(); up to two others stand beside it and in it.
LanguageModel random_language_model(random::Draw& draw, std::size_t plant);

}  // namespace slideway::validation::language
