// The catalogue: every model that is compiled in, and how to find one by its name.
//
// It must not know integrators, files or the command line.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"

namespace slideway::models {

// In the order in which they are listed to a user.
const std::vector<Model>& catalogue();

// Throws std::invalid_argument for an unknown name, with the nearest known one.
const Model& find_model(const std::string& name);

}  // namespace slideway::models
