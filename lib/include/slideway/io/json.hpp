// A run as a JSON document of schema "slideway.run/1": how it ended, where it began and ended, every event with
// the classification that decided it, and statistics. The trajectory is not in it (io/csv.hpp).
//
// Numbers read back as the same double; what is not finite is null. Above 100 states `before` and `after` are
// left out; above 100 surfaces the mode words of events hold only the characters of the listed surfaces.
// It must not know files, nor how the run was made.
#pragma once

#include <iosfwd>

#include "slideway/io/report.hpp"
#include "slideway/simulate/branches.hpp"

namespace slideway {

struct JsonOptions {
  bool full_events = false;  // keep states and mode words in events, however many there are
};

void write_json(const RunReport& report, std::ostream& out, const JsonOptions& options = {});

// A tree of solutions: the document of the root, in which `branches` holds a document for each continuation of its last
// event, in their order, and `complete` says whether all were followed.
// `report` is that of the root.
void write_json(const RunReport& report, const BranchTree& tree, std::ostream& out,
                const JsonOptions& options = {});

}  // namespace slideway
