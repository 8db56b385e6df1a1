// FMUs of Model Exchange, by the standard FMI 2.0 and 3.0, as models: an FMU is run as a model file is.
//
// It must not know runs.
#pragma once

#include <string>

#include "slideway/model/model.hpp"

namespace slideway {

// read_fmu() unpacks the file into a temporary folder, loads its binary, and returns it as a model. Event indicators are switching surfaces
// where the FMU only switches its derivatives, and events elsewhere. Parameters, inputs and start values are settings by the names of their
// variables; an input is constant. The states are those of the FMU, then the discrete state `stage`, which counts its events. All variables
// that are numbers can be observed. The folder lives as long as the model and its instances.
//
// Throws std::invalid_argument for a file that is no FMU, or one that cannot be run here, with the reason. A run throws std::runtime_error
// where the FMU tells of an error. Instances may run in threads of their own, unless the FMU can be instantiated only once.
// Without libzip and pugixml in the build it throws std::invalid_argument, too, with the names of the packages.
Model read_fmu(const std::string& file);

}  // namespace slideway
