// Several runs of `slideway run`: some models, or one with several values of its parameters, and one picture of them all.
#pragma once

#include <iosfwd>

#include "apps/commands.hpp"

namespace slideway::apps {

int run_several(const RunArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace slideway::apps
