// An FMU of Model Exchange as a system of the library, with what can be seen of it.
//
// It must not know settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/fmi/hybrid_fmu.hpp"
#include "slideway/model/model.hpp"

namespace slideway::fmi {

// Variables of the FMU by their names, and else what every system has. It stands in ModelInstance::observe, where tell_steps() finds it.
struct ExchangedVariables {
  std::shared_ptr<HybridFmu> hybrid;
  std::shared_ptr<const Fmu> fmu;
  System system;
  Observables operator()(const std::vector<std::string>& wanted) const;
};

// `state_names` are those of the FMU and that of the stage.
System exchanged_system(const std::shared_ptr<HybridFmu>& hybrid, const std::string& name,
                        const std::vector<std::string>& state_names, const Description& about,
                        const Inputs& inputs);

}  // namespace slideway::fmi
