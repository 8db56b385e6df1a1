// A hybrid automaton: locations, each with its own System, and edges between them.
//
//     x' = f_q(t, x, λ) in location q;   edge e: q → r with x⁺ = R_e(t, x⁻) when g_e crosses zero in its direction
//
// On entering a location (and at the start) an edge whose guard is already past zero in its direction fires at once; one
// that is zero is judged by its first derivative that is not. `any` never fires on entry. A jump within the location that carries the
// guard past zero crosses it, as in model/event.hpp. If several edges fire in one round, the first of the list is taken, after
// the resets. The locations have the same states, surfaces and contacts.
// Two edges between two locations with the same Guard in opposite directions and no reset are one switching surface.
// It must not know integrators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/model/event.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

struct Location {
  std::string name = {};
  System system;
};

struct Edge {
  std::string name = {};  // for the event log; may be empty
  std::string from = {};  // names of locations
  std::string to = {};
  Guard when = {};
  Direction direction = Direction::any;  // rising: g from negative to positive
  ResetFunction reset = {};              // none: the state stays as it is
  std::string zeno = {};  // the location to go on in where firings of this edge accumulate; "" for none
  // An edge fires, too, where its guard is past zero when the location is entered; without this it waits for the flow to cross.
  bool across_jumps = true;
  // A delayed edge leads on from its location only where the solution has not left that in the meantime.
  Delay delay = {};
  int priority = 0;                          // among the jumps of one instant, the highest first
  Initially initially = Initially::by_rule;  // of the location that a run begins in
  AtZero at_zero = AtZero::unknown;          // for a rising or falling guard
  Guard holds_at_zero =
      {};  // in place of `at_zero`, if set: the condition holds at zero where this is above zero
};

// Two edges that undo each other, into Automaton::edges().
struct JoinedEdges {
  std::size_t rising = 0;
  std::size_t falling = 0;
};

class Automaton {
 public:
  // A single location without a name.
  Automaton(System system);  // NOLINT: converts on purpose
  // Throws std::invalid_argument when there are no locations, a name is unknown or used twice, an edge has no guard, or
  // the locations differ in their states, surfaces or contacts.
  Automaton(std::vector<Location> locations, std::vector<Edge> edges, const std::string& initial);

  // has_locations() tells whether there are locations to speak of: false for a plain System.
  bool has_locations() const { return !locations_.front().name.empty(); }
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::size_t initial() const { return initial_; }
  // The system of the initial location; its sizes and names are those of every location.
  const System& system() const { return locations_[initial_].system; }
  // Throws std::invalid_argument naming the known ones and the nearest when there is no such location.
  std::size_t location_index(const std::string& name) const;
  // joined_edges() returns the two edges of a joined name, that of two locations between which a solution
  // slides. Among several pairs of edges it takes the one whose guard is nearest to zero at (t, x). It returns
  // nothing where the name is no such name.
  std::optional<JoinedEdges> joined_edges(const std::string& name, double t, ConstVectorRef x) const;
  // system_at() returns the system of the location of this name, or of the two locations between which a
  // solution at (t, x) slides under it. It returns nothing for another name.
  std::optional<System> system_at(const std::string& name, double t, ConstVectorRef x) const;

 private:
  std::vector<Location> locations_;
  std::vector<Edge> edges_;
  std::size_t initial_ = 0;
};

// undo_each_other() tells whether the edges lead there and back again across the same guard, and nothing else:
// they are one switching surface.
bool undo_each_other(const Edge& first, const Edge& second);

// The location of a solution that slides between two.
std::string joined_name(const Location& minus, const Location& plus);

// The two locations as one system with one more switching surface, the last, on which the guard vanishes:
//     f = (1 − λ)/2 f_minus + (1 + λ)/2 f_plus.
// Events and contacts are those of `minus`. "" names the surface "between".
System join_locations(const Location& minus, const Location& plus, const Guard& guard,
                      const std::string& name);

}  // namespace slideway
