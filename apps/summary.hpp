// The text of a run on the screen: the events and their reasons, the end, and the effort.
//
// It must not know the command line or files.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/io/report.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::apps {

struct SummaryOptions {
  bool all_events = false;  // otherwise repeated events of a long list are one row
  Screen screen = {};
};

// `written` names the files that hold the results.
void print_summary(const RunReport& report, const Options& options, const std::vector<std::string>& written,
                   const SummaryOptions& how, std::ostream& out);

// "ambiguous at t = 1: …", for a run that stopped early.
std::string outcome_line(const Outcome& outcome);

}  // namespace slideway::apps
