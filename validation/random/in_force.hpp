// Which surfaces of a random model take part in a motion: one that stands only in branches of others does where these hold. Where
// guards have no names a run tells nothing of the others.
//
// It must not know how a model is solved.
#pragma once

#include <string>

#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

// Whether the words of two neighbouring instants differ at surfaces alone that take no part in either. The words begin with a character
// per surface; a model with locations is not looked into, and its surfaces all take part.
bool is_out_of_force(const RandomModel& model, const std::string& before, const std::string& after);

}  // namespace slideway::validation::random
