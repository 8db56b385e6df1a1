// What a person reads after a run: the events and why they happened, where it ended, what it took.
//
// It must not know the command line or files.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "slideway/io/report.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::apps {

struct SummaryOptions {
  bool all_events = false;  // otherwise a long list shows its beginning and its end
  bool colours = false;
};

// `written` names the files that hold the results.
void print_summary(const RunReport& report, const Options& options, const std::vector<std::string>& written,
                   const SummaryOptions& how, std::ostream& out);

// "ambiguous at t = 1: …", for a run that stopped early.
std::string outcome_line(const Outcome& outcome);

// Whether the terminal behind a descriptor is one that wants colours (NO_COLOR, TERM=dumb).
bool wants_colours(int descriptor);

}  // namespace slideway::apps
