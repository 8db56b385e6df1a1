// Crossings of one surface with no other event between them, and the limit that they come to.
//
// It must not know the surface, nor what follows. That the flights between crossings get shorter is seen by FlightWatch, which minds no
// events elsewhere; a limit, with the state there, is to be had only from crossings between which there is nothing else.
#pragma once

#include <optional>

#include "simulate/accumulation_watch.hpp"
#include "simulate/flight_watch.hpp"

namespace slideway {

class LoneCrossings {
 public:
  // Notes a crossing at t; x is the state there.
  void note(double t, Index surface, const Vector& x) {
    if (surface != surface_) crossings_.clear();
    surface_ = surface;
    crossings_.note(t, surface, x);
    shrinking_ = crossings_.shrinks(FlightWatch::kShrinks) ? shrinking_ + 1 : 0;
  }
  // Something else happens.
  void interrupt() { surface_ = -1; }
  std::optional<Accumulation> limit() const { return crossings_.limit(); }
  // Whether several flights in a row were clearly shorter than the one before.
  bool shrink() const { return shrinking_ >= FlightWatch::kInARow; }
  // The largest |xⱼ| at them.
  Vector scale() const { return crossings_.scale(); }

 private:
  // Flights to one side may take longer than those to the other.
  AccumulationWatch crossings_{{1, 2}, 1, true};
  Index surface_ = -1;
  int shrinking_ = 0;
};

}  // namespace slideway
