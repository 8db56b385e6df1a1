// The events and steps of a run so far as lines of JSON:
//     {"event": {…}}    {"segment": ["0x1p+0", "+0", "location"]}    {"step": "start end center scale coefficients…"}
// A step belongs to the segment before it. It must not know how a run goes on.
#pragma once

#include <string>

#include "slideway/simulate/checkpoint.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// The checksum of text that follows text of this checksum.
std::uint64_t checksum_after(std::uint64_t before, const std::string& text);

// The lines that the log lacks at the position, which is moved to its end. A segment without a step waits for one.
std::string log_lines(const Solution& solution, LogPosition& position);
// Adds what the lines hold to the solution. Throws std::exception for lines that make no sense.
void read_log_lines(const std::string& lines, Solution& solution);

}  // namespace slideway
