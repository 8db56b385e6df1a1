// MODEL of the command line: a name of the catalogue or a model file.
#pragma once

#include <string>

#include "slideway/model/model.hpp"

namespace slideway::apps {

// What contains a '/' or ends in ".toml" is a file. Throws std::exception with the complete report.
Model load_model(const std::string& name);

}  // namespace slideway::apps
