// The arrivals at an instant: the events, surfaces and contacts of the guards that the locator found, and what is due by the clock.
//
// It must not know what follows from it.
#pragma once

#include <vector>

#include "locate/locator.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class ArrivedGuards {
 public:
  // The references must outlive it.
  ArrivedGuards(RunState& now, const Locator& locator) : now_(now), locator_(locator) {}

  // The arrivals of the last call of gather(), with what the others have added.
  Arrivals& arrivals() { return arrivals_; }
  const Arrivals& arrivals() const { return arrivals_; }

  // The events, surfaces and contacts of these guards, and surfaces whose relays, as they were, do not go on. Valid until the next
  // call, as long as `slots` is.
  Arrivals& gather(const std::vector<char>& slots, const std::vector<Index>& ending = {});
  // The guards of the last call that were held at zero and have left it take the other side than they were on before.
  void take_sides();
  // Adds events whose guards are zero here as well, as far as that can be located: they are part of the instant.
  void add_simultaneous();
  // The guards of these events have crossed zero, now as far as that can be located.
  void cross(const std::vector<Index>& events);
  // Adds that something is due now, as far as that can be told, and puts the time of the run there.
  void note_due();

 private:
  // The velocity with which the state has come here. Past an event the field need not be defined, as that of a tank that has run dry:
  // the way there tells it as well.
  void find_arrival_velocity();

  RunState& now_;
  const Locator& locator_;
  Arrivals arrivals_;
  const std::vector<char>* slots_ = nullptr;  // of the last call of gather()
  Vector velocity_;
};

}  // namespace slideway
