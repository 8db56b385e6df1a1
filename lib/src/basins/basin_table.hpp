// The table of basins: a row for each start that was followed, as CSV.
//
//     start, kind ("cell" or "sample"), the two states, end, steps, found, basins
//
// `end` is the number of an attractor from 1, or the name of another end. `found` is 1 where the start came to an attractor that was not
// known then. `basins` decides whether the table belongs to the same basins. It must not know files.
#pragma once

#include <iosfwd>
#include <string>

#include "slideway/core/types.hpp"

namespace slideway {

struct BasinRow {
  Index start = 0;
  bool is_sample = false;
  double across = 0;
  double up = 0;
  std::string end = {};
  Index steps = 0;
  bool found = false;
};

class BasinTable {
 public:
  BasinTable(const std::string& across, const std::string& up, std::string fingerprint);

  const std::string& header() const { return header_; }
  std::string line(const BasinRow& row) const;
  // The row of a line without its end. Throws std::invalid_argument: what does not belong to these basins.
  BasinRow row(const std::string& line) const;

 private:
  std::string header_;
  std::string fingerprint_;
};

}  // namespace slideway
