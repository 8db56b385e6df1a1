// The table of a diagram: two rows for each cell, one per direction, as CSV. Workers hand their results on as such rows, too.
//
//     cell, direction ("forward" or "backward"), the two parameters, end, rounds, period, stable, matched, multiplier, exponent,
//     exponent_error, signature, location, mode, the states of the attractor, coexisting, message, diagram
//
// `end` is a kind of attractor or the name of another end; `diagram` decides whether the table belongs to the same diagram. It must not
// know files.
#pragma once

#include <string>
#include <vector>

#include "diagram/diagram_cell.hpp"

namespace slideway {

struct DiagramRow {
  Index cell = 0;
  bool is_backward = false;
  double across = 0;
  double up = 0;
  CellEnd end = {};
  bool coexisting = false;
};

class DiagramTable {
 public:
  DiagramTable(const DiagramDesign& design, std::vector<std::string> states, std::string fingerprint);

  const std::string& header() const { return header_; }
  std::string line(const DiagramRow& row) const;
  // The row of a line without its end. Throws std::invalid_argument: what does not belong to this diagram.
  DiagramRow row(const std::string& line) const;

 private:
  std::string header_;
  std::size_t states_;
  std::string fingerprint_;
};

}  // namespace slideway
