// An FMU of Co-Simulation as a system of the library, with what can be seen of it.
//
// It must not know settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/fmi/stepped_fmu.hpp"
#include "slideway/model/model.hpp"

namespace slideway::fmi {

// `state_names` are those of the variables that are states, and that of the stage.
System stepped_system(const std::shared_ptr<SteppedFmu>& stepped, const std::string& name,
                      const std::vector<std::string>& state_names);

// Variables of the FMU by their names, and else what every system has. It stands in ModelInstance::observe, which tells what an FMU is.
struct SteppedVariables {
  std::shared_ptr<SteppedFmu> stepped;
  std::shared_ptr<const Fmu> fmu;
  System system;
  Observables operator()(const std::vector<std::string>& wanted) const;
};

}  // namespace slideway::fmi
