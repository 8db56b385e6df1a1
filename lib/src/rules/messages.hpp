// The messages of a run that ends for want of a unique continuation or of progress, or in which a transition is doubtful.
//
// It must not know how these are found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "log/run_log.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// The continuation is not unique: why, the modes that continue, and what to do.
// finish_undecided() ends the run where the resolution decides nothing: as ambiguous where several motions are possible, and as a
// failure of the step where it shows no second one.
void finish_undecided(const RunState& now, const Resolution& resolution, RunLog& log);

// turning_text() tells of guards that change their signs so often, with no consequence.
std::string turning_text(const RunState& now, std::int64_t arrivals);
// The solution leaves these surfaces, or none that is known, by no more than errors.
std::string returning_text(const RunState& now, std::span<const Index> surfaces);

// accumulating_text() says why nothing slides, where this many events happened in so short a span and `last` is
// the last one.
std::string accumulating_text(const RunState& now, const EventRecord& last, std::span<const Index> surfaces,
                              double span);

// Events set each other off at one instant: which, and what to check.
std::string endless_text(const RunState& now, const std::vector<EventRecord>& records);

// An edge that has fired on entry of its location; the opening is the same for the same edge and location.
struct EntryWarning {
  std::string opening;
  std::string text;
};

// A reset leaves its own guard at zero, and the motion carries the guard on.
EntryWarning left_at_zero_warning(const RunState& now, Index event);

// way_back_warning() returns nothing unless the guard of the edge is on its way back: the edge may never have been
// meant to fire there.
std::optional<EntryWarning> way_back_warning(const RunState& now, Index event);

}  // namespace slideway
