// Contacts that come to rest by impacts which get ever weaker, and the time until they do.
//
// A contact with speed u, pressing acceleration a and restitution e makes flights of 2ue/a, 2ue²/a, …: it is at rest after
//     R = 2ue / (a(1 − e)).
// Contacts that are coupled throw each other off, in an order that need not repeat. Impacts take of their energy E and give none, which
// bounds all heights, velocities and impulses that may follow (ContactDynamics::Pressed): where the tolerances of the states hide them,
// or rounding does, all are at rest. For one contact alone the bounds are what its next flight has.
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
  double most = 0;         // no later than this, about
  Vector state = {};       // of the run, with the contacts closed
  bool is_unseen = false;  // nothing that is left is above the tolerances
  bool is_hidden = false;  // by rounding: no flight is left that could be told from none
};

// The rest of contact `hit` together with those of `others` that it presses on; nothing where it does not come to rest. States have come
// to these sizes.
std::optional<Rest> rest_of(const RunState& now, Index hit, const std::vector<Index>& others,
                            const Vector& sizes);

// The time until another contact is hit, about.
double time_to_disturbance(const RunState& now, const Rest& rest);

}  // namespace slideway
