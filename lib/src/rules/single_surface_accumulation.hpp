// Crossings of one surface with no other event between them, and the limit that they come to.
//
// It must not know the surface, nor what follows. That flights off a surface get shorter is for FlightWatch to see, whatever happens
// elsewhere, as in turns round an intersection; the state that they come to can be told here only where nothing does.
#pragma once

#include <optional>

#include "rules/accumulation_watch.hpp"

namespace slideway {

class SingleSurfaceAccumulation {
 public:
  // Notes a crossing at t; x is the state there.
  void note(double t, Index surface, const Vector& x) {
    if (surface != surface_) crossings_.clear();
    flights_ = surface == surface_ ? flights_ + 1 : 0;
    surface_ = surface;
    crossings_.note(t, surface, x);
  }
  // Something else happens.
  void interrupt() { surface_ = -1; }
  // How many flights there have been since.
  Index flights() const { return flights_; }
  std::optional<Accumulation> limit() const { return crossings_.limit(); }
  // The largest |xⱼ| at them.
  Vector scale() const { return crossings_.scale(); }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("crossings", crossings_);
    visit("surface", surface_);
    visit("flights", flights_);
  }

 private:
  // Flights to one side may take longer than those to the other.
  AccumulationWatch crossings_{{1, 2}, 1, true};
  Index surface_ = -1;
  Index flights_ = 0;
};

}  // namespace slideway
