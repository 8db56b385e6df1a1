// The command `slideway sweep`: what it is asked becomes a call of the library's sweep(); pictures are drawn, and what there is
// is told.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "apps/progress_bar.hpp"
#include "apps/signal_watch.hpp"
#include "apps/simulation.hpp"
#include "apps/sweep_picture.hpp"
#include "apps/sweep_summary.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"
#include "slideway/sweep/sweep.hpp"

namespace slideway::apps {

namespace {

SweepSection section_of(const SweepArguments& arguments) {
  SweepSection section{.name = arguments.section};
  if (arguments.direction == "falling") section.direction = SectionDirection::falling;
  if (arguments.direction == "any") section.direction = SectionDirection::any;
  if (arguments.section_points) section.most = *arguments.section_points;
  return section;
}

// check_section_options() refuses options of a section where there is none to choose from.
void check_section_options(const SweepArguments& arguments) {
  if (!arguments.section.empty()) return;
  if (!arguments.direction.empty() || arguments.section_points) {
    refuse({.what = "there are no arrivals to choose from",
            .where = arguments.section_points ? "--section-points" : "--direction",
            .expected = "--section NAME beside it"});
  }
  if (!arguments.section_file.empty())
    refuse({.what = "there are no points to write",
            .where = "--section-file",
            .expected = "--section NAME beside it"});
}

void check_states_shown(const SweepArguments& arguments, const Model& model, const SweepPlan& plan) {
  if (!arguments.states.empty()) {
    const ModelInstance instance = sweep_instance(model, plan);
    check_option("--states", [&] {
      for (const std::string& name : arguments.states) instance.system.state_index(name);
    });
  }
  if (!arguments.states.empty() && arguments.plot.empty())
    refuse(
        {.what = "there is no picture of states", .where = "--states", .expected = "--plot FILE beside it"});
  if (!arguments.plot.empty() && arguments.axes.size() > 2) {
    refuse({.what = "no picture of this sweep can be drawn",
            .where = "--plot",
            .expected = "one or two varied parameters",
            .got = std::to_string(arguments.axes.size())});
  }
  if (!arguments.plot.empty() && arguments.axes.size() == 2 && arguments.follow == "both") {
    refuse({.what = "a map has one value where there is one of the way up and one of the way down",
            .where = "--plot with --follow both",
            .expected = "one varied parameter, or --follow up or down"});
  }
}

SweepDesign design_of(const SweepArguments& arguments) {
  if (arguments.random && arguments.latin)
    refuse({.what = "the values can be drawn in one way only",
            .where = "--random with --latin",
            .expected = "one of them",
            .got = "both"});
  if (arguments.seed && !arguments.random && !arguments.latin)
    refuse({.what = "nothing is drawn that a seed could change",
            .where = "--seed",
            .expected = "--random N or --latin N beside it"});
  SweepDesign design{.axes = arguments.axes, .fixed = arguments.settings};
  if (arguments.random) design.sampling = Sampling::random;
  if (arguments.latin) design.sampling = Sampling::latin;
  design.samples = arguments.latin.value_or(arguments.random.value_or(0));
  if (arguments.seed) design.seed = static_cast<std::uint64_t>(*arguments.seed);
  if (arguments.follow == "up") design.follow = Follow::up;
  if (arguments.follow == "down") design.follow = Follow::down;
  if (arguments.follow == "both") design.follow = Follow::both;
  if (arguments.shard) design.shard = {arguments.shard->first, arguments.shard->second};
  return design;
}

// The table is standard output, unless something else is asked for.
std::string table_of(const SweepArguments& arguments) {
  const bool only_others = arguments.csv.empty() && (!arguments.plot.empty() || !arguments.json.empty() ||
                                                     !arguments.section_file.empty());
  return only_others ? "" : arguments.csv.empty() ? "-" : arguments.csv;
}

SweepOptions options_of(const SweepArguments& arguments, const Model& model, SweepWorkers* workers) {
  SweepOptions options;
  options.run = make_options(arguments, model.defaults);
  options.end = arguments.end;
  options.transient = arguments.transient.value_or(0);
  options.run_time_limit = arguments.run_time_limit;
  if (!arguments.section.empty()) options.section = section_of(arguments);
  options.observe = arguments.observe.empty() ? model.defaults.observe : arguments.observe;
  if (!arguments.audit.empty()) options.audit = audit_level_from(arguments.audit);
  options.jobs = arguments.jobs.value_or(0);
  options.workers = workers;
  options.table = table_of(arguments);
  options.points = arguments.section_file;
  options.columns = arguments.columns;
  options.resume = arguments.resume;
  options.merge = arguments.merge;
  options.identity = identity_of(arguments.model);
  options.keep_rows = !arguments.plot.empty();
  options.statistics = arguments.summary || !arguments.json.empty();
  options.word_message = [](const std::string& message) { return told_to_user(message); };
  return options;
}

void check_files(const SweepArguments& arguments, const SweepOptions& options) {
  std::vector<Target> wanted;
  if (!options.table.empty()) wanted.push_back({"--csv", options.table});
  if (!options.points.empty()) wanted.push_back({"--section-file", options.points});
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});
  if (!arguments.columns.empty() && options.table.empty())
    refuse({.what = "there is no table to choose columns of",
            .where = "--columns",
            .expected = "--csv FILE beside it"});
  if (arguments.resume &&
      (arguments.csv.empty() || is_standard_output(options.table) || is_standard_output(options.points))) {
    refuse({.what = "there is nothing to resume",
            .where = "--resume",
            .expected = "--csv with the file of a sweep"});
  }
}

void check_merge(const SweepArguments& arguments) {
  if (arguments.merge.empty()) return;
  const char* const alone = arguments.resume  ? "--resume"
                            : arguments.shard ? "--shard"
                            : arguments.jobs  ? "--jobs"
                                              : nullptr;
  if (alone != nullptr)
    refuse({.what = "merging makes no runs",
            .where = fmt::format("--merge with {}", alone),
            .expected = "one of them",
            .advice = alone == std::string("--resume")
                          ? "merge first; the same command with --resume then makes the runs that are missing"
                          : ""});
  for (const std::string& file : arguments.merge) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(to_path(file), ignored))
      refuse({.what = "there is no such file",
              .where = "--merge",
              .expected = "the tables of all shards",
              .got = "'" + file + "'"});
  }
}

bool holds_any(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  return std::find_first_of(names.begin(), names.end(), wanted.begin(), wanted.end()) != names.end();
}

// "100 runs", and how they were chosen.
std::string runs_made(const SweepPlan& plan, const SweepArguments& arguments) {
  std::string text = fmt::format("{} runs", plan.runs_here());
  if (plan.sampling() != Sampling::grid)
    text += fmt::format(" ({}, seed {})", plan.sampling() == Sampling::latin ? "Latin hypercube" : "random",
                        arguments.seed.value_or(1));
  if (arguments.shard)
    text +=
        fmt::format(" of {}, shard {} of {}", plan.runs(), arguments.shard->first, arguments.shard->second);
  return text;
}

// "3, 7, 12, …"
std::string first_of(const std::vector<Index>& runs) {
  constexpr std::size_t most = 5;
  const auto end = runs.begin() + static_cast<std::ptrdiff_t>(std::min(runs.size(), most));
  return fmt::format("{}{}", fmt::join(runs.begin(), end, ", "), runs.size() > most ? ", …" : "");
}

void report(const SweepArguments& arguments, const SweepPlan& plan, const SweepResult& result,
            bool can_resume, std::ostream& err) {
  const std::string advice =
      can_resume ? fmt::format("; --resume completes '{}'", arguments.csv) : std::string();
  if (!result.is_complete() && !arguments.merge.empty()) {
    fmt::print(err, "slideway: {} of {} runs are in none of the files: {}{}\n", result.runs - result.done,
               result.all_runs, first_of(result.missing),
               can_resume ? advice + ", instead of --merge" : advice);
  } else if (!result.is_complete()) {
    fmt::print(err, "slideway: interrupted after {} of {} runs{}\n", result.done, result.runs, advice);
  } else if (!arguments.quiet) {
    const std::string contradicted =
        result.contradicted == 0
            ? std::string()
            : fmt::format(", {} contradict the model file (see the column audit)", result.contradicted);
    const std::string taken = arguments.merge.empty() && result.taken_over > 0
                                  ? fmt::format(", {} of them taken over", result.taken_over)
                                  : "";
    const bool says_why =
        arguments.columns.empty() || holds_any(arguments.columns, {"message", "outcome", "all"});
    fmt::print(err, "{}{}{}{}\n", runs_made(plan, arguments), taken,
               result.failed == 0 ? std::string()
                                  : fmt::format(", {} stopped early ({} the column message)", result.failed,
                                                says_why ? "see" : "--columns leaves out"),
               contradicted);
  }
}

}  // namespace

int sweep(const SweepArguments& arguments, SweepWorkers* workers, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  const SweepPlan plan(design_of(arguments));
  check_section_options(arguments);
  check_states_shown(arguments, model, plan);
  SweepOptions options = options_of(arguments, model, workers);
  check_merge(arguments);
  // Another process may have no such folder, and writes nothing.
  const bool is_writer = workers == nullptr || workers->is_writer();
  if (is_writer) check_files(arguments, options);

  const SignalWatch watch;
  options.cancel = &SignalWatch::was_interrupted();
  std::optional<ProgressBar> bar;
  options.on_progress = [&](Index done, Index total) {
    if (!bar) bar.emplace(platform::standard_error, total, done);
    bar->show(done);
  };
  const SweepResult result = slideway::sweep(model, plan.design(), options);
  bar.reset();
  if (!result.is_writer) return exit_success;
  if (!arguments.quiet) {
    for (const std::string& file : result.cut_files)
      fmt::print(err, "slideway: the last row of '{}' was cut off; its run is {}\n", file,
                 arguments.resume ? "made again" : "left out");
  }

  Written others;
  for (const std::string& path : arguments.json) {
    others.add(path, [&] {
      write_whole(path, [&](std::ostream& out) { write_statistics_json(model.name, result, out); });
      return std::vector<std::string>{path};
    });
  }
  if (!result.rows.empty()) {
    for (const std::string& picture : arguments.plot) {
      const auto draw = [&] {
        write_figure(sweep_figure(picture_of(model.name, plan, arguments.section, result, arguments.states)),
                     picture);
      };
      others.add_picture(picture, draw);
    }
  }
  const bool can_resume = result.can_resume && !arguments.csv.empty() && !is_standard_output(options.table) &&
                          !is_standard_output(options.points);
  report(arguments, plan, result, can_resume, err);
  if (arguments.summary && result.done > 0) print_statistics(result, err);
  return others.report_failures(err, err, result.is_complete() ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
