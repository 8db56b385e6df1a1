// Quantities that are of interest along a solution beside its states, a control, a force of friction or an energy:
//     y = g(t, x, λ, Λ),     λ the relays, Λ the forces of the contacts
// with what λ and Λ are at that point of the solution (simulate/forces_along.hpp): on a surface that slides, λ is that of the sliding
// condition, so that a control is the equivalent control there and a force of friction the one that holds.
// It must not know solutions or files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/friction_element.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// force_count() is the number of entries of `forces` of a system with so many contacts.
inline Index force_count(Index contacts) { return 3 * contacts; }

struct Observables {
  std::vector<std::string> names = {};
  // λ has an entry per surface, `values` one per name; `forces` one per contact (0 while open), then one for the friction of each, then its second part.
  std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef forces,
                     VectorRef values)>
      evaluate = {};
};

// The observables that every system has: the guard of a surface, the force of a contact, that of its friction
// (ContactFriction::name, ConeFriction::names), and the forces of friction elements, by their names. Throws std::invalid_argument, with the nearest name, for any other.
Observables observables_of(const System& system, const std::vector<std::string>& names,
                           const std::vector<FrictionElement>& friction = {});

// Throws std::invalid_argument where a name is used twice, or is that of a state or another column.
void check_observable_names(const System& system, const std::vector<std::string>& names);

}  // namespace slideway
