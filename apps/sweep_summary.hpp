// The statistics of a sweep, for a person and for a program.
#pragma once

#include <iosfwd>
#include <string>

#include "slideway/sweep/sweep.hpp"

namespace slideway::apps {

// A line for every status and every column, and how busy the workers were.
void print_statistics(const SweepResult& result, std::ostream& out);

void write_statistics_json(const std::string& model, const SweepResult& result, std::ostream& out);

}  // namespace slideway::apps
