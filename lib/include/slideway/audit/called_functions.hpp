// called_functions() lets the audit judge a model that is not a file. The audit calls the field and the guards of the system at points of its
// own choice. A function that remembers earlier calls, or that jumps where no guard is zero, shows as a defect.
//
// It must not know file formats.
#pragma once

#include <memory>

#include "slideway/audit/audit.hpp"

namespace slideway {

// The result takes the place of a written model in Auditor and audit(). Only the motion is compared; systems with contacts are passed over.
std::shared_ptr<const WrittenModel> called_functions();

}  // namespace slideway
