// The second table of a sweep: one row per point of a section, as CSV.
//
//     run, one column per axis, direction (of runs that follow one another), point, t, one column per state, sweep
//
// `point` is the number of the crossing in its run, from 1: the first ones are left out where not all are kept.
// It must not know files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/sweep_table.hpp"

namespace slideway {

class SectionTable {
 public:
  // The crossings that are kept of one run.
  struct Points {
    std::vector<Index> numbers = {};
    std::vector<double> times = {};
    std::vector<std::vector<double>> states = {};  // per state
  };

  // Throws std::invalid_argument where two columns would have one name.
  SectionTable(const SweepColumns& columns, std::string fingerprint);

  const std::string& header() const { return header_; }
  // The rows of a run, none without crossings.
  std::string lines(const SweepRow& row) const;
  bool is_own(const std::string& text) const { return text.compare(0, header_.size(), header_) == 0; }
  // Adds the points of a table of this sweep, by run. Throws std::invalid_argument: what does not belong to it.
  void read(const std::string& text, std::map<Index, Points>& points) const;
  // Gives a row its points; false where they are not all there.
  static bool complete(SweepRow& row, const std::map<Index, Points>& points, Index most);

 private:
  std::string header_;
  std::size_t axes_;
  std::size_t states_;
  bool with_direction_;
  std::string fingerprint_;
};

}  // namespace slideway
