// The events of a run, in order: one record for each located instant.
//
// A record holds the classification that decided it: w⁻ and w⁺ are the normal components dh/dt of the fields at
// λ = −1 and λ = +1 of each listed surface, λ the value in sliding. The log of a large system holds changes only:
// `shorten` leaves out what grows with the system and not with the event. It must not know file formats.
#pragma once

#include <deque>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slideway/core/short_list.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

enum class EventKind {
  crossing,       // from one side to the other (a kink's too)
  sliding_entry,  // one surface starts to slide
  sliding_exit,   // one surface stops to slide
  corner,         // several surfaces changed at once
  grazing,        // a touch; the mode is unchanged
  reset,
  sample,  // a time event
  transition,
  impact,
  contact,
  release,
  zeno,
  repelling,  // not unique, one surface
  two_fold,   // not unique, one surface, both components vanish
  ambiguous,  // not unique, several surfaces
  record,
  stop,
};

// "crossing", "sliding_entry", …
const char* to_string(EventKind kind);

struct EventRecord {
  double t = 0;
  EventKind kind = EventKind::crossing;
  ShortList<Index> surfaces = {};             // the surfaces met or changed
  ShortList<std::string> surface_names = {};  // their names, same order
  std::optional<std::string> name = {};       // of a reset, edge, stop or record; of the first contact hit
  std::optional<Mode> from = {};              // empty for an event at the start
  std::optional<Mode> to = {};                // empty where the run stopped because nothing unique follows
  std::optional<std::string> from_location = {};
  std::optional<std::string> to_location = {};
  ShortList<double> w_minus = {};  // per listed surface; NaN where it has no meaning
  ShortList<double> w_plus = {};
  ShortList<double> lambda = {};             // λ after the event; NaN where the surface does not slide
  std::optional<std::string> codeword = {};  // Korobitsyn & Frolova's word w4w3w2w1, of two surfaces
  std::vector<Mode> continuations = {};      // every continuation, where there are several
  // Modes of which Filippov's inclusion, the convex hull of all fields at the point, admits motions that the sliding rule
  // does not select; looked for where two or three surfaces that see each other are met.
  std::vector<Mode> in_convex_hull = {};
  Vector before = {};        // state just before, n entries, or none (see shorten)
  Vector after = {};         // state just after, likewise
  bool listed_only = false;  // the modes hold only the entries of `surfaces`, in that order
  // The round in which an event fires at its instant (model/event.hpp): 1 if the flow brought its guard to zero, 2 if an event of
  // round 1 carried it past zero, and so on. Changes of the mode have 0.
  int round = 0;
  std::string reason = {};  // one line: why this and nothing else
};

// Grows without moving the records that it holds.
using EventLog = std::deque<EventRecord>;

// The largest system whose events keep whole states, and whole mode words.
inline constexpr Index kMostStatesInEvents = 100;
inline constexpr Index kMostSurfacesInEvents = 100;

// Drops the states of a record with more than 100 of them, and of modes with more than 100 entries all that are not
// listed. Once is enough.
void shorten(EventRecord& record);
// The characters of the listed surfaces in a mode of the record, shortened or not.
std::string listed_word(const EventRecord& record, const Mode& mode);

// "t = 1.2309594  crossing  h1  - -> +  w- and w+ both positive"; what has a name is told by it, and so are locations that change and
// rounds from the second on.
std::ostream& operator<<(std::ostream& out, const EventRecord& event);

}  // namespace slideway
