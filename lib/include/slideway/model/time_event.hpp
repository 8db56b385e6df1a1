// Events at times that are known beforehand, such as the samples of a digital controller: at
//     offset + k·period,  k = 0, 1, 2, …   (count of them, or without end), or at a list of times,
// the state is set to R(t, x⁻). Nothing is located: a step of the integrator ends exactly at that time, which is computed from k
// anew and so does not drift. Times of several time events that differ by rounding alone are one instant.
//
// At one instant impacts come first, then the other jumps by their priority, the highest first. With the same priority resets and edges
// come first, in the order of the list, then delayed actions that are due, then time events in the order of theirs. Each sees what those
// before it have set. Guards that these carry past zero fire in further rounds, as in model/event.hpp.
// A time event at the start of a run fires there, and so does one at its end.
// It must not know surfaces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slideway/model/event.hpp"

namespace slideway {

struct TimeEvent {
  std::string name = {};        // for the event log; may be empty
  double period = 0;            // > 0, unless there are times
  double offset = 0;            // the first time
  std::int64_t count = 0;       // how many times it fires, from the offset on; 0: without end
  std::vector<double> at = {};  // instead of a period: increasing times
  ResetFunction reset = {};     // required
  int priority = 0;

  bool is_periodic() const { return period > 0; }
  // The k-th time, from 0; infinity where there is none.
  double time(std::int64_t k) const;
  // The first k whose time is no earlier than t, but for rounding.
  std::int64_t first_from(double t) const;
};

// The difference that rounding may make between two times computed as above that are meant to be the same.
double time_rounding(double t);

}  // namespace slideway
