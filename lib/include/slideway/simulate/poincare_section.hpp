// A Poincaré section by name: where a solution arrives at a surface, or at the events of a reset, edge, record or contact.
//
// It must not know how a run is made, nor what is done with its arrivals.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// The side of a surface that arrivals come from: below (rising), above, or both. Named events have no sides.
enum class SectionDirection { rising, falling, any };

// "rising", "falling", "any".
const char* to_string(SectionDirection direction);

struct PoincareSection {
  std::string name = {};
  SectionDirection direction = SectionDirection::rising;
};

// The names that a section may have: surfaces, and whatever else has a name in the event log.
std::vector<std::string> section_names(const Automaton& problem);
// Throws std::invalid_argument if no section of the problem has this name. The message begins with `where` and proposes the nearest name.
void check_section(const PoincareSection& section, const Automaton& problem, const std::string& where);
// Returns true if the event is an arrival at the section. The start of sliding is one, from the side that the solution leaves.
bool arrives(const PoincareSection& section, const System& system, const EventRecord& event);

// A point of the section.
struct SectionPoint {
  double t = 0;
  Vector state = {};          // n, where the solution arrives: before a jump
  std::string location = {};  // that it comes from; "" where the problem has no locations
};

// The points of a run, one for every arrival after its start, in order. An event that does not hold its state needs the trajectory.
std::vector<SectionPoint> section_points(const PoincareSection& section, const System& system,
                                         const Solution& solution);

}  // namespace slideway
