// A jump that a run has still to make where it ends: a run that goes on there takes it over. It is of a delayed reset or edge that has been
// triggered and has not acted yet, or it belongs to the instant at which a stop ended the run before it.
//
// It must not know how it was triggered.
#pragma once

#include <cstddef>

#include "slideway/core/types.hpp"

namespace slideway {

// BroughtBy tells why the action is due: its delay is over, its guard has crossed zero, or a time event has come.
enum class BroughtBy : unsigned char { delay, crossing, clock };

struct PendingAction {
  double t = 0;  // when it acts
  bool is_edge = false;
  BroughtBy by = BroughtBy::delay;
  std::size_t of = 0;  // into System::events or Automaton::edges; of the clock into System::time_events
  // Values of the states that Delay::sets lists, else of all, as set at the trigger; empty where t decides.
  Vector values = {};

  // visit_fields() names the fields for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("t", t);
    visit("is_edge", is_edge);
    visit("of", of);
    visit("values", values);
    int number = static_cast<int>(by);
    visit("by", number);
    by = static_cast<BroughtBy>(number);
  }
};

}  // namespace slideway
