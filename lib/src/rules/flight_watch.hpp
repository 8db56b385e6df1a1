// How long the solution stays off each surface between two crossings of it. Where it spirals into a surface these flights get ever
// shorter, until they are lower than the errors of the steps: from there on their times say nothing, but that they do not grow.
//
// It must not know what lies between the crossings, nor what follows from them, nor where they lead to (see the crossings of History).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulate/precision.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class FlightWatch {
 public:
  // Notes a crossing of the surface at t with this |speed| across it. Allocates when a surface of this number is noted for the first
  // time.
  void note(double t, Index surface, double speed) {
    if (surface >= static_cast<Index>(flights_.size()))
      flights_.resize(static_cast<std::size_t>(surface) + 1);
    Flights& flights = flights_[static_cast<std::size_t>(surface)];
    if (flights.since != since_) flights = {.since = since_};
    const double length = t - flights.last;
    const std::array<double, 3>& before = flights.lengths;
    // Flights to one side may take longer than those to the other.
    const bool shrinks =
        (flights.crossings > 1 && length < kFlightShrinks * before[0]) ||
        (flights.crossings > 3 && length + before[0] < kFlightShrinks * (before[1] + before[2]));
    const bool shrinks_fast = flights.crossings > 1 && length < kFlightShrinksFast * before[0] &&
                              speed < kFlightShrinksFast * std::max(flights.speeds[0], flights.speeds[1]);
    if (shrinks && flights.shrinking == 0 && !(length < flights.shorter_than))
      flights.shorter_than = kFlightShrinks * before[0];
    flights.shrinking = shrinks ? flights.shrinking + 1 : 0;
    flights.has_shrunk = shrinks_fast || flights.shrinking >= kShrinkingInARow ||
                         (flights.has_shrunk && length < flights.shorter_than);
    const bool grows = flights.crossings < 3 || length > kFlightGrows * before[1];
    flights.level = grows ? 0 : flights.level + 1;
    flights.lengths = {length, before[0], before[1]};
    flights.last = t;
    flights.speeds = {speed, flights.speeds[0]};
    ++flights.crossings;
  }

  // shrinks() tells whether the last flights, several in a row, were clearly shorter than those before.
  bool shrinks(Index surface) const { return of(surface).shrinking >= kShrinkingInARow; }
  // has_shrunk() tells whether they ever were, or one by very much, and are that short still.
  bool has_shrunk(Index surface) const { return of(surface).has_shrunk; }

  // hardly_grow() tells whether they have not got longer for many turns.
  bool hardly_grow(Index surface) const { return of(surface).level >= kManyFlights; }
  double length(Index surface) const { return of(surface).lengths[0]; }  // of the last flight

  // Something else happened between the crossings of one surface, or of all.
  void forget(Index surface) {
    if (surface < static_cast<Index>(flights_.size())) flights_[static_cast<std::size_t>(surface)] = {};
  }
  void forget_all() { ++since_; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("flights", flights_);
    visit("since", since_);
  }

 private:
  struct Flights {
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("since", since);
      visit("last", last);
      visit("speeds", speeds);
      visit("lengths", lengths);
      visit("crossings", crossings);
      visit("shrinking", shrinking);
      visit("level", level);
      visit("has_shrunk", has_shrunk);
      visit("shorter_than", shorter_than);
    }

    std::int64_t since = 0;              // all were forgotten last
    double last = 0;                     // crossing
    std::array<double, 2> speeds = {};   // at the last crossings, the last one first
    std::array<double, 3> lengths = {};  // of the last flights, the last one first
    std::int64_t crossings = 0;
    int shrinking = 0;  // how many in a row
    int level = 0;      // how many in a row that did not grow
    bool has_shrunk = false;
    double shorter_than = 0;
  };
  const Flights& of(Index surface) const {
    static constexpr Flights none = {};
    if (surface >= static_cast<Index>(flights_.size())) return none;
    const Flights& flights = flights_[static_cast<std::size_t>(surface)];
    return flights.since == since_ ? flights : none;
  }

  std::vector<Flights> flights_;
  std::int64_t since_ = 1;
};

}  // namespace slideway
