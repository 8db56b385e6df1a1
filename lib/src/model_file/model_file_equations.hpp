// The equations of a model file as they are understood, for people.
// It must not know TOML or systems.
#pragma once

#include <string>
#include <vector>

#include "model_file/lowering.hpp"
#include "model_file/model_file_description.hpp"

namespace slideway::reader {

// Definitions, derivatives, events, contacts and the surfaces that were found, a line each. A vector is one line.
std::vector<std::string> equations(const ModelDescription& model, const ExpandedModel& expanded);

}  // namespace slideway::reader
