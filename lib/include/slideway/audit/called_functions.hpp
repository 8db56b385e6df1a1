// What a run is compared with where its model is no file: the field and the guards of its system, called at points of the audit's own
// choice. What such a function remembers from call to call, or a jump that it does not tell, shows as a defect.
//
// It must not know file formats.
#pragma once

#include <memory>

#include "slideway/audit/audit.hpp"

namespace slideway {

// For Auditor and audit(), in the place of a written model. Only the motion is compared; systems with contacts are not audited so.
std::shared_ptr<const WrittenModel> called_functions();

}  // namespace slideway
