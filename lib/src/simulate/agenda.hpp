// The instants that a run knows beforehand: what is due at known times, and the limits that its events are coming to.
//
// It must not know where the solution is, nor how a limit was found.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/accumulation_limit.hpp"
#include "simulate/time_schedule.hpp"

namespace slideway {

struct Agenda {
  TimeSchedule schedule;
  std::vector<AccumulationLimit> limits = {};

  // The first limit that holds states, but no later than `end`.
  double held_limit(double end) const {
    for (const AccumulationLimit& limit : limits) {
      if (limit.is_held()) end = std::min(end, limit.t);
    }
    return end;
  }
  // The latest end of the stretch that begins, in a run that ends at `end`. An action at the end itself, but for rounding, leaves no
  // step after it.
  double next_end(double end) const {
    const double limit = held_limit(end);
    return schedule.is_due(end) && end - schedule.next() > time_rounding(end)
               ? std::min(limit, schedule.next())
               : limit;
  }
  // The states that limits hold, sorted.
  std::vector<Index> states_held() const {
    std::vector<Index> states;
    for (const AccumulationLimit& limit : limits)
      states.insert(states.end(), limit.states.begin(), limit.states.end());
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    return states;
  }
  // holds() tells whether a limit keeps events of this guard from firing.
  bool holds(const Guard& guard) const {
    return std::any_of(limits.begin(), limits.end(), [&](const AccumulationLimit& limit) {
      return std::find(limit.guards.begin(), limit.guards.end(), guard) != limit.guards.end();
    });
  }
};

}  // namespace slideway
