#include "run/guard_numbers.hpp"

#include <algorithm>

namespace slideway {

GuardNumbers::GuardNumbers(const Automaton& automaton) {
  for (const Location& location : automaton.locations()) {
    for (const Event& event : location.system.events()) guards_.push_back(event.when);
  }
  for (const Edge& edge : automaton.edges()) guards_.push_back(edge.when);
}

Index GuardNumbers::number(const Guard& guard) const {
  const auto known = std::find(guards_.begin(), guards_.end(), guard);
  return known == guards_.end() ? -1 : static_cast<Index>(known - guards_.begin());
}

Guard GuardNumbers::guard(Index number) const {
  return number < 0 ? Guard() : guards_.at(static_cast<std::size_t>(number));
}

}  // namespace slideway
