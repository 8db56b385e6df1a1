// An instance of an FMU of FMI 2.0.
//
// It must not know what an event means.
#pragma once

#include <memory>

#include "lib/fmi/fmu.hpp"
#include "lib/fmi/instance.hpp"

namespace slideway::fmi {

std::unique_ptr<Instance> make_instance_of_two(std::shared_ptr<const Fmu> fmu);

}  // namespace slideway::fmi
