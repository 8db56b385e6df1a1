// `slideway validate`: the suite of problems with exact solutions, and random models.
#pragma once

#include <ostream>

#include "apps/commands.hpp"

namespace slideway::apps {

// The exit status: 0 where all agree.
int validate(const ValidateArguments& arguments, std::ostream& out);

}  // namespace slideway::apps
