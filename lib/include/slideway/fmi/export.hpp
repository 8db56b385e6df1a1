// Models as FMUs by the standard FMI 2.0 and 3.0, with the library inside.
//
// It must not know the command line.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

enum class FmiVersion { two, three };
enum class FmuKind { model_exchange, co_simulation, both };

struct FmuExport {
  FmiVersion version = FmiVersion::three;
  FmuKind kind = FmuKind::both;
  std::string model_file = {};            // its path; "" for a model of the catalogue, or one by its text
  std::string model_text = {};            // the text of a model file, where there is no path
  Settings settings = {};                 // become the start values
  std::vector<std::string> observe = {};  // become outputs
  std::vector<std::string> inputs = {};   // parameters that become inputs, which whoever runs the FMU drives
  std::vector<std::string> tunable = {};  // parameters that may change between steps and at events
  Options options = {};                   // tolerances, method and policies of Co-Simulation
  std::string binary = {};                // the shared object libslideway_fmu.so
};

// write_fmu() writes an FMU for this system: the description, the binary, the model, and a page of documentation. States, parameters and
// observed quantities keep their names; the mode is an integer for each surface and contact, −1, 0 (it slides) or 1; event indicators are named by
// their surfaces, contacts, events and edges. The file is written whole or not at all.
//
// Throws std::invalid_argument for a model that an FMU of this kind cannot hold, with the reason, and std::runtime_error where a file cannot
// be read or written. Without minizip and pugixml in the build it throws std::invalid_argument.
void write_fmu(const std::string& path, const Model& model, const FmuExport& what);

}  // namespace slideway
