// Decision is what the mode manager's rules say where the state or the location is new: one step towards the mode that follows.
//
// It must not know how it was found, nor how it is carried out.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "rules/waiting_guards.hpp"

namespace slideway {

// Resets and edges whose guards a jump has carried past zero fire.
struct FirePastZero {
  std::vector<Crossed> crossed;
};
// Contacts hit: their gaps are zero, and some of them close with a speed.
struct Hit {
  std::vector<Index> touching;
};
// Relays and contacts are found anew, by the classification of the surfaces on which the state lies.
struct FindMode {};
// Events whose guards the motion carries through zero take place.
struct FireThroughZero {
  std::vector<Index> records, stops;
  std::vector<Crossed> jumps;
};

// Nothing is left to decide where there is none.
using Decision = std::optional<std::variant<FirePastZero, Hit, FindMode, FireThroughZero>>;

}  // namespace slideway
