// The documents of `slideway run`, above all its pictures: which are wanted, whether they can be made, and how they are written.
//
// It must not know how a run is made.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/followed_run.hpp"
#include "apps/summary.hpp"
#include "apps/targets.hpp"
#include "slideway/io/plot.hpp"

namespace slideway::apps {

std::vector<Target> targets(const RunArguments& arguments);
PlotOptions picture_options(const RunArguments& arguments);
// The same with the labels that the run's model file has for names that the command line does not label.
PlotOptions picture_options(const RunArguments& arguments, const Model& model, const RunReport& report);
SummaryOptions summary_options(const RunArguments& arguments);

// Throws std::invalid_argument for an option that has no effect beside the others: it is a mistake.
void check_effect(const RunArguments& arguments);

// Throws std::invalid_argument for what these runs cannot be drawn with.
void check_picture(const RunArguments& arguments, const std::vector<const FollowedRun*>& runs);

// Draws the pictures by `draw`, which returns what could not be shown, and adds their files to `written`.
void write_pictures(const RunArguments& arguments,
                    const std::function<std::vector<std::string>(const std::string& path)>& draw,
                    Written& written, std::ostream& err);

}  // namespace slideway::apps
