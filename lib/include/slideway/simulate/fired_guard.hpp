// A guard that has fired and has been zero since: a run that goes on there does not take it for a new crossing.
//
// It must not know what its event does.
#pragma once

#include <cstddef>

namespace slideway {

struct FiredGuard {
  bool is_edge = false;
  std::size_t of = 0;    // into System::events or Automaton::edges
  double near_zero = 0;  // up to this size the guard counts as zero, in its own unit
};

}  // namespace slideway
