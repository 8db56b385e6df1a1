// A run as a JSON document of schema "slideway.run/1": how it ended, where it began and ended, every event with
// the classification that decided it, and statistics. The trajectory is not in it (io/csv.hpp).
//
// Numbers read back as the same double; what is not finite is null. Above 100 states `before` and `after` are
// left out; above 100 surfaces the mode words of events hold only the characters of the listed surfaces.
// It must not know files, nor how the run was made.
#pragma once

#include <iosfwd>

#include "slideway/io/report.hpp"

namespace slideway {

struct JsonOptions {
  bool full_events = false;  // keep states and mode words in events, however many there are
};

void write_json(const RunReport& report, std::ostream& out, const JsonOptions& options = {});

}  // namespace slideway
