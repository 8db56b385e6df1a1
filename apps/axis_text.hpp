// An axis of a sweep, as it is written on the command line.
#pragma once

#include <string>

#include "slideway/sweep/sweep_plan.hpp"

namespace slideway::apps {

// "p=a:b:n" (n values from a to b, equally spaced), "p=a:b:n:log" (with equal ratios), "p=v1,v2,…", or a range to draw
// from, "p=a:b" or "p=a:b:log". Throws std::invalid_argument with what was expected; ranges are told of where one may draw.
SweepAxis parse_axis(const std::string& text, bool may_draw = true);

}  // namespace slideway::apps
