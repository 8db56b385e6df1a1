#include "apps/plane_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "slideway/core/errors.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

void check_plane_arguments(const PlaneArguments& arguments) {
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

void print_interrupted(const PlaneArguments& arguments, Index done, Index total, const char* what,
                       std::ostream& err) {
  const bool has_table = !arguments.csv.empty() && !is_standard_output(arguments.csv);
  fmt::print(err, "slideway: interrupted after {} of {} {}{}\n", done, total, what,
             has_table ? fmt::format("; --resume completes '{}'", arguments.csv) : "");
}

}  // namespace slideway::apps
