// Decision is what one rule of the mode manager says: one step towards the mode that follows an arrival, or a state that is new.
//
// It must not know how it was found, nor how it is carried out.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rules/waiting_guards.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/simulate/outcome.hpp"

namespace slideway {

// The run ends.
struct End {
  Status status = Status::reached_end;
  std::string message = {};
};

// ---- where guards have arrived (arrival_rules.hpp)

// Surfaces whose guards have changed their signs without a zero, or which take no part in the motion, take these sides.
struct TurnSides {
  struct Turn {
    Index surface = 0;
    Side side = Side::plus;
    std::string reason = {};  // of the event; none where the surface takes no part in the motion
  };
  std::vector<Turn> turns = {};
  std::vector<Index> out_of_force = {};  // met surfaces which take no part in the motion
  bool past_poles = false;               // the guards start anew beyond them
  std::optional<End> end = {};
};
// Gaps close that open again by themselves.
struct TouchGaps {};
// Nothing follows.
struct PassBy {};
// The state is put onto the surfaces that are met, and the instant begins.
struct BeginThere {};
// Records and stops take place.
struct NoteEvents {};
// Friction in a plane stops to slip, or breaks away.
struct TurnFriction {};
// Impacts, resets and edges take place, and what is due.
struct TakeJumps {};
// The mode is found anew where friction has turned, or of the surfaces that are met.
struct FollowFriction {};
struct FollowSurfaces {};

// ---- where the state or the location is new (settle_rules.hpp)

// The records of the instant may fill the log.
struct PublishRecords {};
// Resets and edges whose guards a jump has carried past zero fire.
struct FirePastZero {
  std::vector<Crossed> crossed;
};
// Contacts hit: their gaps are zero, and some of them close with a speed.
struct Hit {
  std::vector<Index> touching;
};
// Relays and contacts are found anew, by the classification of the surfaces on which the state lies.
struct FindMode {};
// Events whose guards the motion carries through zero take place.
struct FireThroughZero {
  std::vector<Index> records, stops;
  std::vector<Crossed> jumps;
};

// Nothing is left to decide where there is none.
using Decision = std::optional<std::variant<End, TurnSides, TouchGaps, PassBy, BeginThere, NoteEvents,
                                            TurnFriction, TakeJumps, FollowFriction, FollowSurfaces,
                                            PublishRecords, FirePastZero, Hit, FindMode, FireThroughZero>>;

}  // namespace slideway
