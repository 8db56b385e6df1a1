// What the commands that colour a plane by attractors refuse alike.
//
// It must not know what is coloured.
#pragma once

#include "apps/commands.hpp"

namespace slideway::apps {

// Refuses two times between looks at a solution, and an end of time.
void check_plane_arguments(const PlaneArguments& arguments);

}  // namespace slideway::apps
