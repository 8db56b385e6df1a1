// A delayed reset or edge that has been triggered and has not acted yet: a run that goes on where another one ended takes
// them over.
//
// It must not know how it was triggered.
#pragma once

#include <cstddef>

#include "slideway/core/types.hpp"

namespace slideway {

struct PendingAction {
  double t = 0;  // when it acts
  bool is_edge = false;
  std::size_t of = 0;  // into System::events or Automaton::edges
  Vector values =
      {};  // the state that its reset made of that at the trigger; empty where it is computed at t
};

}  // namespace slideway
