// The arguments that `basins` and `diagram` share: their checks, the options that they set, the files that they name, and the message where one
// was interrupted.
//
// It must not know what is coloured.
#pragma once

#include <ostream>
#include <vector>

#include "apps/commands.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"

namespace slideway::apps {

// Refuses two times between looks at a solution, and an end of time.
void check_plane_arguments(const PlaneArguments& arguments);

// The side of a plane, as BasinAxis.
template <class Axis>
Axis axis_of(const SweepAxis& given, Index cells) {
  return {.name = given.name, .low = given.first, .high = given.last, .cells = cells};
}

// Sets what is asked for on every plane in the options of one, as BasinOptions.
template <class PlaneOptions>
void set_plane_options(const PlaneArguments& arguments, const ModelInstance& instance,
                       PlaneOptions& options) {
  for (const auto& [name, period] : arguments.wrap)
    options.wrap.emplace_back(name, length_of_time("--wrap", "period", period, instance));
  if (arguments.most_steps) options.most_steps = *arguments.most_steps;
  if (arguments.reach) options.reach = *arguments.reach;
  options.jobs = arguments.jobs.value_or(0);
  options.table = arguments.csv;
  options.resume = arguments.resume;
}

std::vector<Target> plane_targets(const PlaneArguments& arguments);

// Says that the user has stopped the command after `done` of `total`, which `what` counts, and how to complete the table.
void print_interrupted(const PlaneArguments& arguments, Index done, Index total, const char* what,
                       std::ostream& err);

}  // namespace slideway::apps
