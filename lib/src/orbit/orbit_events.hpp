// The events of a periodic orbit that change something: a touch does not, and whether it is seen is a matter of the tolerance.
//
// It must not know what the events mean.
#pragma once

#include <vector>

#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

using OrbitEvents = std::vector<const EventRecord*>;

// They refer to the orbit.
inline OrbitEvents changing_events(const PeriodicOrbit& orbit) {
  OrbitEvents events;
  for (const EventRecord& event : orbit.solution.events)
    if (event.from && event.kind != EventKind::grazing) events.push_back(&event);
  return events;
}

}  // namespace slideway
