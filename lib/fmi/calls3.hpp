// The functions of FMI 3.0 as Calls.
//
// It must not know what a status means.
#pragma once

#include <memory>

#include "lib/fmi/calls.hpp"

namespace slideway::fmi {

// Null where the FMU refuses. Throws std::invalid_argument where a function is missing.
std::unique_ptr<Calls> make_calls_of_three(const Fmu& fmu, Log& log);

}  // namespace slideway::fmi
