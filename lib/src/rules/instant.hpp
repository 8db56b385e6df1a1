// The memory of a run while it decides one instant: the arrivals there, the events that have fired, and the jumps.
//
// It must not know where the solution is, nor what follows.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/stick_slip.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/event_watch.hpp"
#include "simulate/time_schedule.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway {

// The guards that arrived at one instant, by what they are of, and how much of them is decided.
struct Arrivals {
  enum class Stage { arrived, begun, noted, over };
  Stage stage = Stage::arrived;
  Meeting meeting = {};              // surfaces
  std::vector<Index> hits = {};      // contacts whose gap closes
  std::vector<Index> releases = {};  // contacts whose force would pull
  std::vector<Index> stick_slip =
      {};                           // contacts whose slip comes to zero, or whose friction comes to its bound
  std::vector<Index> records = {};  // events by kind, into the watch
  std::vector<Index> stops = {};
  std::vector<Index> jumps = {};  // resets and edges
  std::vector<Index> slots = {};  // of all these, as guards of the mode
  bool is_due = false;            // something is, at this time
  const Vector* given = nullptr;  // the state that the caller of the run has set
  double blur = 0;                // of the time, by the rounding of the guards of events
  double error = 0;               // of the time, by what errors of the run may make of those guards
  std::vector<Index> with_value_again = {};       // surfaces whose guards have had none for a while
  bool any_turned = false;                        // without a zero of its guard
  bool is_on_surfaces = false;                    // the state lies on all that are met, to rounding
  std::optional<StickSlip> turned_friction = {};  // what has become of stick_slip
  std::vector<Index>& list(WatchedKind kind) {
    return kind == WatchedKind::record ? records : kind == WatchedKind::stop ? stops : jumps;
  }
  void clear() {
    stage = Stage::arrived;
    meeting.met.clear();
    meeting.root_ends = any_turned = is_on_surfaces = false;
    blur = error = 0;
    with_value_again.clear();
    turned_friction.reset();
    given = nullptr;
    is_due = false;
    for (std::vector<Index>* list : {&hits, &releases, &stick_slip, &records, &stops, &jumps, &slots})
      list->clear();
  }
  bool only_hits() const {
    return meeting.met.empty() && !meeting.root_ends && releases.empty() && stick_slip.empty() &&
           records.empty() && stops.empty() && jumps.empty() && !is_due;
  }
  bool only_records() const {
    return meeting.met.empty() && !meeting.root_ends && hits.empty() && releases.empty() &&
           stick_slip.empty() && stops.empty() && jumps.empty() && !is_due;
  }
};

// The history of this instant so far. An instant begins with an arrival, at the start of the run, or at the limit of events that
// accumulate.
struct Instant {
  Vector before;                         // the state when it began, where something may jump
  bool moved = false;                    // the state is a new one: given, or moved by a jump
  bool was_reset = false;                // by the reset of an event or an edge
  int round = 0;                         // of jumps: 1 is what the flow has brought to zero
  int repeats = 0;                       // rounds in which something fired again
  bool fired_again = false;              // in this round
  std::set<Index> members;               // of all that has fired, by InstantJumps::note()
  std::vector<Index> second_order;       // along which it slid so before the jump
  std::optional<std::size_t> last_edge;  // that fired
  Guard departed;  // between two locations that the solution has stopped to slide between
  // Records of the jumps and choices at this instant that are not in the log yet.
  std::vector<EventRecord> records;
  std::size_t published = 0;
  bool at_start = false;
  // Buffers of a clear arrival (clear_arrival.cpp): the state as it arrived, the relays, and the fields of both sides.
  struct Clear {
    Vector state, lambda, minus, plus;
  };
  Clear clear;
  // How much is known of what follows: no more than the state and the location, the mode too, or all.
  enum class Settling { moved, in_mode, settled };
  Settling settling = Settling::moved;

  void begin(const Vector& x, bool is_new, bool may_jump) {
    if (is_new || may_jump) before = x;
    moved = is_new;
    was_reset = false;
    round = repeats = 0;
    fired_again = false;
    members.clear();
    second_order.clear();
    last_edge.reset();
    departed = Guard();
  }
  std::vector<EventRecord>& open_records(bool start) {
    records.clear();
    published = 0;
    at_start = start;
    return records;
  }
};

// The jumps of the last instant that had some. They outlive the instant: a guard that fired last stays at zero until the next
// one.
struct InstantJumps {
  // A guard that fired is zero as far as it can be located. A projection of the state onto its constraints may have moved it by
  // `left`. The list is of guards, not of rows of one table, since an instant may lead through several locations.
  struct ZeroGuard {
    Guard when;
    double left = 0;  // of its value
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("when", when);
      visit("left", left);
    }
  };

  Index id = 0;                  // of all that jumped, in order
  std::string resting_location;  // that an edge which fired declares for its accumulation points
  std::vector<Index> hit;        // contacts that were approached
  std::vector<Index> touching;   // contacts that had a part in an impact
  std::vector<ZeroGuard> zero_guards;

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("id", id);
    visit("resting_location", resting_location);
    visit("hit", hit);
    visit("touching", touching);
    visit("zero_guards", zero_guards);
  }

  void begin() {
    id = 0;
    resting_location.clear();
    hit.clear();
    touching.clear();
    zero_guards.clear();
  }
  void note(Index what) { id = (id * 1009 + what + 1) % 1'000'000'007; }
  void note_zero(const Guard& guard, double left) {
    const auto known = std::find_if(zero_guards.begin(), zero_guards.end(),
                                    [&](const ZeroGuard& zero) { return zero.when == guard; });
    if (known == zero_guards.end())
      zero_guards.push_back({guard, left});
    else
      known->left = std::max(known->left, left);
  }
  bool has_fired_on(const Guard& guard) const {
    return std::any_of(zero_guards.begin(), zero_guards.end(),
                       [&](const ZeroGuard& zero) { return zero.when == guard; });
  }
};

}  // namespace slideway
