// MODEL of the command line: a name of the catalogue, a model file or an FMU.
#pragma once

#include <string>

#include "slideway/fmi/import.hpp"
#include "slideway/model/model.hpp"

namespace slideway::apps {

// A name that ends in ".fmu".
bool is_fmu(const std::string& name);
// A name that contains a '/' or ends in ".toml" or ".fmu".
bool is_model_file(const std::string& name);

// Throws std::exception with the complete report, also where something is asked of an FMU and the model is none.
Model load_model(const std::string& name, const FmuImport& how = {});

// The text of the model's file, by which two models of one name are told apart; "" of the catalogue.
std::string identity_of(const std::string& name);

}  // namespace slideway::apps
