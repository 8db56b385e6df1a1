// The arguments that `basins` and `diagram` share on the command line: their check, the files that they name, and the message where one was
// interrupted.
//
// It must not know what is coloured.
#pragma once

#include <ostream>
#include <vector>

#include "apps/commands.hpp"
#include "apps/targets.hpp"

namespace slideway::apps {

// Refuses an end of time.
void check_plane_arguments(const PlaneArguments& arguments);

std::vector<Target> plane_targets(const PlaneArguments& arguments);

// Says that the user has stopped the command after `done` of `total`, which `what` counts, and how to complete the table.
void print_interrupted(const PlaneArguments& arguments, Index done, Index total, const char* what,
                       std::ostream& err);

}  // namespace slideway::apps
