#include "apps/run_pictures.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/quantity_words.hpp"

namespace slideway::apps {

std::vector<Target> targets(const RunArguments& arguments) {
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  add_targets("--report", arguments.report, TargetKind::page, wanted);
  add_targets("--section-file", arguments.section_file, TargetKind::text, wanted);
  add_targets("--section-plot", arguments.section_plot, TargetKind::picture, wanted);
  if (!arguments.checkpoint.empty())
    add_targets("--checkpoint", {arguments.checkpoint}, TargetKind::text, wanted);
  return wanted;
}

PlotOptions picture_options(const RunArguments& arguments) {
  return {.phase = arguments.phase,
          .states = arguments.states,
          .title = arguments.title,
          .markers = arguments.markers == "none"      ? Markers::none
                     : arguments.markers == "sliding" ? Markers::sliding
                                                      : Markers::all,
          .size = arguments.picture_size,
          .times = arguments.picture_times,
          .labels = arguments.labels,
          .log = arguments.log,
          .raster = arguments.raster};
}

PlotOptions picture_options(const RunArguments& arguments, const Model& model, const RunReport& report) {
  PlotOptions options = picture_options(arguments);
  const QuantityWords words = quantity_words(model);
  std::vector<std::string> names = report.instance.system.state_names();
  names.push_back("t");
  if (report.observation != nullptr)
    names.insert(names.end(), report.observation->names().begin(), report.observation->names().end());
  for (const std::string& name : names) {
    const std::string label = words.of(name);
    const bool is_given = std::any_of(options.labels.begin(), options.labels.end(),
                                      [&](const auto& given) { return given.first == name; });
    if (label != name && !is_given) options.labels.emplace_back(name, label);
  }
  return options;
}

SummaryOptions summary_options(const RunArguments& arguments) {
  return {.all_events = arguments.all_events || arguments.full_events,
          .screen = screen_behind(platform::standard_output)};
}

void check_effect(const RunArguments& arguments) {
  const std::pair<const char*, bool> of_section[] = {{"--direction", !arguments.direction.empty()},
                                                     {"--section-file", !arguments.section_file.empty()},
                                                     {"--section-plot", !arguments.section_plot.empty()}};
  for (const auto& [option, is_given] : of_section) {
    if (is_given && arguments.section.empty()) {
      refuse({.what = "there is no section whose arrivals could be listed",
              .where = option,
              .expected = "--section NAME beside it"});
    }
  }
  if (!arguments.section.empty() && arguments.section_file.empty() && arguments.section_plot.empty() &&
      arguments.json.empty()) {
    refuse({.what = "there is no document to list the arrivals in",
            .where = "--section",
            .expected = "--section-file, --section-plot or --json beside it"});
  }
  if (!arguments.phase.empty() && arguments.plot.empty() && arguments.report.empty() &&
      arguments.section_plot.empty()) {
    refuse({.what = "there is no picture to show the phase portrait in",
            .where = "--phase",
            .expected = "--plot FILE or --report FILE beside it"});
  }
  if (!arguments.states.empty() && arguments.plot.empty() && arguments.report.empty()) {
    refuse({.what = "there is no picture to show these states in",
            .where = "--states",
            .expected = "--plot FILE or --report FILE beside it"});
  }
  const std::pair<const char*, bool> of_picture[] = {{"--title", !arguments.title.empty()},
                                                     {"--markers", !arguments.markers.empty()},
                                                     {"--size", arguments.picture_size.has_value()},
                                                     {"--t-range", arguments.picture_times.has_value()},
                                                     {"--labels", !arguments.labels.empty()},
                                                     {"--log", !arguments.log.empty()},
                                                     {"--raster", arguments.raster}};
  for (const auto& [option, is_given] : of_picture) {
    if (is_given && arguments.plot.empty() && arguments.section_plot.empty()) {
      refuse({.what = "there is no picture for this option to change",
              .where = option,
              .expected = "--plot FILE beside it"});
    }
  }
  if (arguments.raster && !arguments.phase.empty()) {
    refuse({.what = "a raster has rows for surfaces and no phase portrait",
            .where = "--raster with --phase",
            .expected = "one of both"});
  }
  if (arguments.raster && !arguments.states.empty()) {
    refuse({.what = "a raster has rows for surfaces and no panels of states",
            .where = "--raster with --states",
            .expected = "one of both"});
  }
  if (arguments.points && arguments.csv.empty())
    refuse({.what = "there is no table to write the rows to",
            .where = "--points",
            .expected = "--csv FILE beside it"});
}

void check_picture(const RunArguments& arguments, const std::vector<const FollowedRun*>& runs) {
  const auto is_left_out = [&](const FollowedRun* run) {
    const auto& times = arguments.picture_times;
    return times && (times->second <= run->instance.start || times->first >= run->instance.end);
  };
  const auto left_out = std::find_if(runs.begin(), runs.end(), is_left_out);
  if (left_out != runs.end()) {
    refuse({.what = "there is nothing to draw",
            .where = "--t-range",
            .expected = fmt::format("times between {:.10g} and {:.10g}", (*left_out)->instance.start,
                                    (*left_out)->instance.end),
            .got = fmt::format("{:.10g}:{:.10g}", arguments.picture_times->first,
                               arguments.picture_times->second)});
  }
  const PlotOptions options = picture_options(arguments);
  std::vector<std::string> names, all_states;
  for (const FollowedRun* run : runs) {
    const std::vector<std::string>& states = run->instance.system.state_names();
    all_states.insert(all_states.end(), states.begin(), states.end());
    std::vector<std::string> own = states;
    if (run->observation)
      own.insert(own.end(), run->observation->names().begin(), run->observation->names().end());
    check_option("--phase", [&] { check_phase({.phase = arguments.phase}, own); });
    names.insert(names.end(), own.begin(), own.end());
  }
  std::sort(all_states.begin(), all_states.end());
  all_states.erase(std::unique(all_states.begin(), all_states.end()), all_states.end());
  check_option("--states", [&] { check_states(options, all_states); });
  check_option("--labels", [&] { check_labels(options, names); });
  check_option("--log", [&] { check_log(options, names); });
}

void write_pictures(const RunArguments& arguments,
                    const std::function<std::vector<std::string>(const std::string& path)>& draw,
                    Written& written, std::ostream& err) {
  std::vector<std::string> told;
  for (const std::string& path : arguments.plot) {
    std::vector<std::string> notes;
    written.add_picture(path, [&] { notes = draw(path); });
    // Every format of a picture has the same.
    for (const std::string& note : notes) {
      if (std::find(told.begin(), told.end(), note) != told.end()) continue;
      told.push_back(note);
      fmt::print(err, "slideway: warning: {}\n", note);
    }
  }
}

}  // namespace slideway::apps
