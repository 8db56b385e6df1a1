// The trajectory of a run as CSV: t, one column per state, one per observable, their derivatives d(x)/d(p), mode, location. There is a row at every output
// time and at every event: one, with the mode that follows, or two, before and after, where the state jumps, or the mode changes
// and something is observed.
//
// Numbers are the shortest text that reads back as the same double.
// It must not know files, nor how the run was made.
#pragma once

#include <iosfwd>
#include <string>

#include "slideway/io/report.hpp"

namespace slideway {

struct CsvOptions {
  Index points = 0;  // equally spaced output times from `start` to `end`; 0: the integrator's steps
  double start = 0;
  double end = 0;  // of the run as asked for; rows end where the solution does
};

void write_csv(const RunReport& report, std::ostream& out, const CsvOptions& options = {});

// Text as a cell of a table: quoted as in RFC 4180 where it holds a separator, a quote or a line break.
std::string csv_cell(const std::string& text);

}  // namespace slideway
