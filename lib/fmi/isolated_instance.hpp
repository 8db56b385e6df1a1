// An instance of an FMU in a process of its own: a crash, an exit or a hang of its binary becomes std::runtime_error here.
//
// Calls that only set something are sent without waiting; what goes wrong in them is told by the next call with an answer. A call may take as
// long as FmuImport::patience says. It must not know the functions of an FMU.
#pragma once

#include <memory>

#include "lib/fmi/instance.hpp"

namespace slideway::fmi {

// Throws std::invalid_argument as make_local_instance() does, and where the binary crashes while it is loaded.
std::unique_ptr<Instance> make_isolated_instance(std::shared_ptr<const Fmu> fmu);

}  // namespace slideway::fmi
