// The dependences of a large system, as lists in both directions: the states that a state influences through one derivative, the
// states that the guard of a surface or an event reads, the states that a relay or a reset acts on.
//
//     j influences i     ∂fᵢ/∂xⱼ, or j takes part in w of a surface whose relay acts on i, or in an event whose reset sets i, or in
//                        the second derivative of a gap whose force acts on i
//
// Contacts count as surfaces after those of the system, in the order of modes: gaps are their guards, forces their relays.
// A surface or an event that reads, or acts on, a large part of the system belongs to no place: it is global, and its rows are empty but
// for acted_on_by. Made once for a run. It must not know points, modes or time.
#pragma once

#include <string>
#include <vector>

#include "core/at.hpp"
#include "slideway/core/pattern.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

class Coupling {
 public:
  // The system tells its patterns, and shape and touches of its events; every row is short (why_none). So many edges leave its
  // location: they count as events after those of the system, and are global.
  explicit Coupling(const System& system, Index edges = 0);

  // "" where a system can be taken apart so; else why it cannot, as the end of a sentence.
  static std::string why_none(const System& system, Index edges = 0);

  // The number of the first contact among the surfaces.
  Index first_contact;
  // Row j lists the states that state j influences.
  Pattern influences;
  // True for a surface or an event that is global; has_global() is true if at least one is.
  bool is_global_surface(Index surface) const { return global_surfaces_[at(surface)] != 0; }
  bool is_global_event(Index event) const { return global_events_[at(event)] != 0; }
  bool has_global() const { return has_global_; }

  // guard_reads lists, by surface, the states that its guard reads; relay_acts_on lists those that its relay
  // acts on.
  Pattern guard_reads, relay_acts_on;
  // event_reads lists, by event, the states that its guard reads; event_touches lists those that its reset
  // touches.
  Pattern event_reads, event_touches;
  // These lists are by state: the surfaces whose guards read it, those whose relays act on it, and the events
  // whose guards read it.
  Pattern read_by_guards, acted_on_by, read_by_events;

 private:
  std::vector<char> global_surfaces_, global_events_;
  bool has_global_ = false;
};

// visit(column) for every entry of a row.
template <class Visit>
void for_row(const Pattern& pattern, Index row, const Visit& visit) {
  const auto at_row = static_cast<std::size_t>(row);
  for (Index k = pattern.start[at_row]; k < pattern.start[at_row + 1]; ++k)
    visit(pattern.column[static_cast<std::size_t>(k)]);
}

}  // namespace slideway
