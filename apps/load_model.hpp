// MODEL of the command line: a name of the catalogue or a model file.
#pragma once

#include <string>

#include "slideway/model/model.hpp"

namespace slideway::apps {

// A name that contains a '/' or ends in ".toml".
bool is_model_file(const std::string& name);

// Throws std::exception with the complete report.
Model load_model(const std::string& name);

}  // namespace slideway::apps
