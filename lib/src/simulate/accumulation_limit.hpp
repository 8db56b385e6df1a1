// The limit of a series of events that accumulate, from the last event of the series until the run reaches it.
//
// It must not know how it was found.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/guard.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway {

struct AccumulationLimit {
  double t = 0;
  EventRecord record = {};  // handed out there
  Mode members_as_shown;    // the word until then
  // Surfaces that slide and contacts that are closed by it, as in the word.
  std::vector<Index> members = {};
  // `states` are held at their limits, and the guards do not fire until then: limits of resets and edges only.
  std::vector<Index> states = {};
  std::vector<Guard> guards = {};
  std::string resting_location = {};
  std::string turns = {}, within = {};  // for the message
  bool is_held() const { return !guards.empty(); }
};

}  // namespace slideway
