// One run of a sweep, as its table tells it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/outcome.hpp"

namespace slideway {

inline constexpr std::size_t event_kinds = static_cast<std::size_t>(EventKind::stop) + 1;

// Quantities are the states, then what is observed. The table has no infinities: what is not finite is NaN.
struct SweepRow {
  // The status where the model does not take the values, and where a run took longer than it may.
  static constexpr const char* refused = "refused";
  static constexpr const char* time_limit = "time_limit";

  Index run = 0;
  std::vector<double> values = {};  // one per axis
  std::string direction = {};       // of a run that follows another
  std::string status = {};          // as of a run's outcome, or one of those above
  double t = 0;
  std::string mode = {};
  std::string location = {};
  std::vector<double> final = {};  // per quantity; empty when there was no run
  std::array<Index, event_kinds> counts = {};
  std::vector<double> least = {};  // per quantity, after the transient
  std::vector<double> greatest = {};
  Index crossings = 0;                            // of the section, after the transient
  std::vector<double> section_times = {};         // of the last ones
  std::vector<std::vector<double>> section = {};  // per state, there
  std::string audit = {};                         // "passed" or "failed"; empty where there was none
  std::string message = {};

  // succeeded() returns true if the run reached its end or a stop.
  bool succeeded() const { return is_success(status); }
  // is_contradicted() returns true if the audit of the run failed.
  bool is_contradicted() const { return audit == "failed"; }
  static bool is_success(std::string_view status);
};

}  // namespace slideway
