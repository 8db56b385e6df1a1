// The picture of a sweep, made of its rows.
//
// It must not know how a picture is drawn.
#pragma once

#include <string>
#include <vector>

#include "apps/sweep_run.hpp"
#include "slideway/io/sweep_plot.hpp"

namespace slideway::apps {

// With the states of the given names, or without names with those that show most.
SweepPicture picture_of(const SweepTask& task, std::vector<SweepRow> rows, std::vector<std::string> shown);

}  // namespace slideway::apps
