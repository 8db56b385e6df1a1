// The messages for settings that a model does not take, in one place for all kinds of models.
#pragma once

#include <string>
#include <vector>

namespace slideway {

// Throws std::invalid_argument for a name that is none of `known`, the parameters and states of the model, with the nearest of
// them, and for a value that is not finite.
void check_setting(const std::string& model, const std::string& name, double value,
                   const std::vector<std::string>& known);

}  // namespace slideway
