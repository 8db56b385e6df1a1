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
  // Values of the states that Delay::sets lists, else of all, as set at the trigger; empty where t decides.
  Vector values = {};

  // visit_fields() names the fields for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("t", t);
    visit("is_edge", is_edge);
    visit("of", of);
    visit("values", values);
  }
};

}  // namespace slideway
