// The guards of the events and edges of an automaton by their numbers: a guard is not text.
//
// It must not know what is saved.
#pragma once

#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/model/guard.hpp"

namespace slideway {

class GuardNumbers {
 public:
  explicit GuardNumbers(const Automaton& automaton);
  // −1 for one that is none of them.
  Index number(const Guard& guard) const;
  Guard guard(Index number) const;

 private:
  std::vector<Guard> guards_;
};

}  // namespace slideway
