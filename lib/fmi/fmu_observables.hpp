// Quantities to be seen of an FMU: its variables that are numbers, by name, and else what every system has.
//
// It must not know how an FMU is run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/fmi/fmu.hpp"
#include "slideway/model/observables.hpp"
#include "slideway/model/system.hpp"

namespace slideway::fmi {

using ReadVariables = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         const std::vector<const Variable*>& variables, VectorRef values)>;

// The FMU must outlive what `read` holds. Throws std::invalid_argument for a name without meaning.
Observables observables_in(const Fmu& fmu, const System& system, const std::vector<std::string>& wanted,
                           const ReadVariables& read);

}  // namespace slideway::fmi
