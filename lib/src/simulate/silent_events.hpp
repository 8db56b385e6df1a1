// The words of a warning: an event that the end of a run finds beyond zero, in its direction, and that has never fired.
//
// It must not know how such events are found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/number_text.hpp"

namespace slideway {

// The message names at most this many of the events that are alike.
inline constexpr std::size_t kMostSilentTold = 5;

// `kind` is "stop", "edge" or "reset"; an event that was ahead of its guard has passed it, another one has been beyond it all the time.
inline std::string silent_event_warning(const std::string& kind, const std::string& name, double value,
                                        bool rises, bool was_ahead) {
  return (name.empty() ? "a " + kind + " without a name" : kind + " '" + name + "'") +
         " has never fired, and its guard is " + number_text(value) + " at the end, past zero (" +
         (rises ? "rising" : "falling") + ")" +
         (was_ahead ? ": it went past without being zero, as at a pole"
                    : ": it has been there from the start, and fires only on a crossing");
}

// Appends the first ones, and how many more there are.
inline void append_silent(const std::vector<std::string>& silent, std::vector<std::string>& warnings) {
  const std::size_t told = std::min(kMostSilentTold, silent.size());
  for (std::size_t k = 0; k < told; ++k) warnings.push_back(silent[k]);
  if (silent.size() > told)
    warnings.push_back("the same is true of " + std::to_string(silent.size() - told) + " more");
}

}  // namespace slideway
