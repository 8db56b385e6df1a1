// Recognises that events accumulate geometrically, as on a spiral into an intersection or in the bounces of a ball: the
// time that is left, the state there and the events that take part.
//
// S₀ is the time of the last turn of p events, S₁ that of the turn before, and r = S₀/S₁ < 1. The time that is left and the limit are
//     R = S₀ r/(1 − r),     x∞ = x₀ + (x₀ − x₁) ρ/(1 − ρ).
// The states x₀, x₁, x₂ are those at the ends of the last turns. Each component has its own ρ = (x₀ − x₁)/(x₁ − x₂), or r where that
// is not the ratio of a limit. With the accuracy δ of the times and the ratio r' of the turn before,
//     |R − exact| ≤ S₀|r − r'|/(1 − r)² + 4δr/(1 − r)² + δ.
// It must not know what the events are, nor what follows.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "rules/event_series.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

struct Accumulation {
  double remaining = 0;    // time from the last event to the limit
  double error = 0;        // of the limit, from how far the ratio is from steady and the times from exact
  double ratio = 0;        // of the times of successive turns, in (0, 1)
  std::size_t period = 0;  // how many events a turn has
  std::vector<Index> ids = {};  // of the events that take part, sorted
  Vector state = {};            // the limit
  bool at_resolution = false;   // is_hidden_by() the accuracy of its times

  // is_hidden_by() tells whether after one more turn times of this accuracy would no longer tell if the ratio is
  // steady.
  bool is_hidden_by(double accuracy) const;
  // Its times are known to no more than this.
  void blur(double accuracy);
};

using EventSpan = std::span<const PastEvent>;

// TurnFilter says which turns count: those of this many events, ascending, with at least so many that differ.
struct TurnFilter {
  std::span<const std::size_t> periods;
  std::size_t least_ids = 1;
};
inline constexpr std::array<std::size_t, 7> kPeriodsOfJumps = {1, 2, 3, 4, 6, 8, 12};
inline constexpr std::array<std::size_t, 6> kPeriodsRoundIntersection = {3, 4, 5, 6, 8, 12};
// Flights to one side may take longer than those to the other.
inline constexpr std::array<std::size_t, 2> kPeriodsOfCrossings = {1, 2};
inline constexpr TurnFilter kTurnsOfJumps{kPeriodsOfJumps};
inline constexpr TurnFilter kTurnsRoundIntersection{kPeriodsRoundIntersection, 2};
inline constexpr TurnFilter kTurnsOfCrossings{kPeriodsOfCrossings};

// may_repeat() tells whether the last event has come before, not longer ago than the longest turn.
bool may_repeat(EventSpan events, const TurnFilter& filter);
// The accumulation the last events point to; nothing while they do not shrink steadily.
std::optional<Accumulation> limit_of(EventSpan events, const TurnFilter& filter);
// The same from two turns, where the second was so much shorter that there may be no time for a third.
std::optional<Accumulation> limit_of_two_turns(EventSpan events, const TurnFilter& filter);
// shrinks() tells whether the last turn, or half of one, took less than this part of the one before: the events
// may accumulate.
bool shrinks(EventSpan events, const TurnFilter& filter, double part);

}  // namespace slideway
