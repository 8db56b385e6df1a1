// A system whose field between the vertices of the λ-box is Filippov's combination of its corners, whatever the given
// system says there. At the vertices nothing changes; where f is multi-affine nothing changes at all.
//
// It must not know modes, sliding or time stepping.
#pragma once

#include "slideway/model/system.hpp"

namespace slideway {

// The same names, guards and patterns. Evaluating refuses more than 12 entries of λ between −1 and +1 at once.
System blended_system(const System& system);

}  // namespace slideway
