// The states and relays that the forces of contacts see and act on, in a system that tells its patterns.
//
//     gap g(t, x) of the states G,   P the pattern of ∂f/∂x
//     Λ depends on the states  G, GP, GPP  and what b depends on;   bΛ enters the states that b does
//
// Contacts that see each other's forces (B(i, j) ≠ 0) depend on what either depends on. A few contacts that see few states
// are local: their part of the Jacobian has room in its pattern. The others are far.
//
// The dependences of b, and those of a gap that the contact does not tell, are found by trying. It serves
// the Jacobian only.
// It must not know points, modes or integrators.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "slideway/core/pattern.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

struct ContactPatterns {
  // n×n: ∂f/∂x, the forces of the local contacts, and what b changes by where a force is given.
  Pattern field_dx = {};
  // n×m: ∂f/∂λ and all forces.
  Pattern field_dlambda = {};
  std::vector<char> is_far = {};  // per contact
  std::vector<std::vector<Index>> watched =
      {};  // per contact: the states that its gap's acceleration depends on
};

// None where the system does not tell its patterns.
std::optional<ContactPatterns> contact_patterns(const System& system);

// The states that `values(x)` depends on near states in general position, by halving the set of those that are changed;
// all of them if there are more than `most`, or if nothing can be evaluated there.
std::vector<Index> tried_states(Index states, Index most,
                                const std::function<Vector(const Vector& x)>& values);

}  // namespace slideway
