// The table of a sweep: one row per run, as CSV.
//
//     run, one column per axis, status, t, mode, location, final_… per state, events, count_… per kind, min_… and max_… per
//     state, and with a section: crossings, section_… per state; message, sweep
//
// A cell of section_… holds one number per crossing, separated by spaces: the k-th numbers of a row's section_… cells
// are the state at its k-th crossing, so that a row is a run whatever it met. What has no value is an empty cell.
// `sweep` is the fingerprint of the sweep: rows of another model, other values or other options do not have it.
// It must not know files.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/outcome.hpp"

namespace slideway::apps {

inline constexpr std::size_t event_kinds = static_cast<std::size_t>(EventKind::stop) + 1;

struct SweepRow {
  // The status where the model does not take the values.
  static constexpr const char* refused = "refused";

  Index run = 0;
  std::vector<double> values = {};  // one per axis
  std::string status = {};          // as of a run's outcome, or `refused`
  double t = 0;
  std::string mode = {};
  std::string location = {};
  std::vector<double> final = {};  // per state; empty when there was no run
  std::array<Index, event_kinds> counts = {};
  std::vector<double> least = {};  // per state, after the transient
  std::vector<double> greatest = {};
  Index crossings = 0;                            // of the section, after the transient
  std::vector<std::vector<double>> section = {};  // per state, the last ones
  std::string message = {};
};

class SweepTable {
 public:
  SweepTable(std::vector<std::string> axes, std::vector<std::string> states, bool with_section,
             std::string fingerprint);

  const std::vector<std::string>& states() const { return states_; }
  // With the line end.
  std::string header() const;
  std::vector<std::string> columns() const;
  std::string line(const SweepRow& row) const;
  // How many bytes of a document make whole lines: a file that was cut ends within a row.
  static std::size_t whole_lines(const std::string& text);
  // A document of this sweep, in any order of rows. Throws std::invalid_argument: what does not belong to it.
  std::vector<SweepRow> read(const std::string& text) const;

 private:
  SweepRow parse(const std::vector<std::string>& cells) const;

  std::vector<std::string> axes_;
  std::vector<std::string> states_;
  bool with_section_;
  std::string fingerprint_;
};

}  // namespace slideway::apps
