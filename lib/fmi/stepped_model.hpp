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

Observables stepped_observables(const std::shared_ptr<SteppedFmu>& stepped,
                                const std::shared_ptr<const Fmu>& fmu, const System& system,
                                const std::vector<std::string>& wanted);

}  // namespace slideway::fmi
