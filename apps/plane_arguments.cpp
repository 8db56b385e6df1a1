#include "apps/plane_arguments.hpp"

#include <fmt/format.h>

#include "slideway/core/errors.hpp"

namespace slideway::apps {

void check_plane_arguments(const PlaneArguments& arguments) {
  if (!arguments.period.empty() && !arguments.step.empty())
    refuse({.what = "two options say when a solution is looked at",
            .where = "--period with --step",
            .expected = "one of both",
            .got = "both"});
  if (arguments.end)
    refuse({.what = "solutions are followed until they come to an attractor",
            .where = "--t-end",
            .expected = "--max-rounds for the most periods or steps",
            .got = fmt::format("{}", *arguments.end)});
}

std::vector<Target> plane_targets(const PlaneArguments& arguments) {
  std::vector<Target> wanted;
  if (!arguments.csv.empty()) wanted.push_back({"--csv", arguments.csv});
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  return wanted;
}

}  // namespace slideway::apps
