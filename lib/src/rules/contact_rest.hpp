// Contacts that come to rest by impacts which get ever weaker, and the time until they do.
//
// A contact with speed u, pressing acceleration a and restitution e makes flights of 2ue/a, 2ue²/a, …: it is at rest after
//     R = 2ue / (a(1 − e)).
// Contacts that are coupled throw each other off, in an order that need not repeat. Impacts take of their energy E and give none, so
// that no gap comes to more than E/Λ: where rounding hides that of each of them, all are at rest.
//
// It must not know what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

// Contacts that come to rest together, and what is left of the time until then.
struct Rest {
  std::vector<Index> contacts = {};
  double remaining = 0;    // to the limit
  double most = 0;         // no later than this
  Vector state = {};       // of the run, with the contacts closed
  bool is_hidden = false;  // by rounding: no flight is left that could be told from none
};

// The rest of contact `hit` together with those of `others` that it presses on; nothing where it does not come to rest.
std::optional<Rest> rest_of(RunState& now, Index hit, const std::vector<Index>& others);

// The time until another contact is hit, about.
double time_to_disturbance(RunState& now, const Rest& rest);

}  // namespace slideway
