// Switches a run to the tools of another location, of a pair of locations, or of sliding in second order. The sides of surfaces that
// both have are carried over; the mode is found, or said, afterwards.
//
// It must not know why the run goes there.
#pragma once

#include <vector>

#include "locate/locator.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class LocationSwitch {
 public:
  // The references must outlive it.
  LocationSwitch(RunState& now, Locator& locator) : now_(now), locator_(locator) {}

  // Enters the location that the run names, or the first one.
  void enter_first_location();
  void enter(std::size_t location);
  // enter_pair() enters the locations that these edges join; the surface between them is the last one.
  void enter_pair(std::size_t first_edge, std::size_t second_edge);
  // use_in_second_order() changes to the tools of sliding in second order along these surfaces.
  void use_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces);
  // go_to() enters the location, pair of locations or sliding of higher order in which a checkpoint was taken;
  // its mode is loaded next.
  void go_to(const Place& place);

 private:
  void take_tools(LocationTools& tools);

  RunState& now_;
  Locator& locator_;
};

}  // namespace slideway
