// The picture of a sweep, made of its rows.
//
// It must not know how a picture is drawn.
#pragma once

#include <string>
#include <vector>

#include "slideway/io/sweep_plot.hpp"
#include "slideway/sweep/sweep.hpp"

namespace slideway::apps {

// picture_of() shows the states of the given names, or without names those that show most. `section` is "" without
// one.
SweepPicture picture_of(const std::string& model, const SweepPlan& plan, const std::string& section,
                        const SweepResult& result, std::vector<std::string> shown);

}  // namespace slideway::apps
