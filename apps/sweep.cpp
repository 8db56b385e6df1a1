// The command `slideway sweep`: what it is asked is checked, the runs are made, tables and pictures are written.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "apps/sweep_picture.hpp"
#include "apps/sweep_work.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/version.hpp"
#include "slideway/io/files.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

// FNV-1a, of everything that decides the numbers of a sweep.
std::string fingerprint(const SweepArguments& arguments, const SweepTask& task) {
  const Model& model = task.model;
  const Options& options = task.options;
  std::string text = fmt::format("{}\n{}\n", version(), model.name);
  if (is_model_file(arguments.model)) text += file_contents(arguments.model);
  for (const std::string& line : model.equations) text += line + '\n';
  for (const Parameter& parameter : model.parameters)
    text += fmt::format("{}={}\n", parameter.name, parameter.value);
  for (const SweepAxis& axis : task.plan.axes())
    text += fmt::format("{}:{}\n", axis.name, fmt::join(axis.values, ","));
  for (const auto& [name, value] : arguments.settings) text += fmt::format("{}={}\n", name, value);
  const Vector& atol = options.atol.values();
  text += fmt::format("{} {} {} {} {} {} {} {} {} {}\n", options.rtol,
                      fmt::join(atol.data(), atol.data() + atol.size(), ","), to_string(options.method),
                      options.max_step, options.max_events, to_string(options.on_ambiguity),
                      to_string(options.sliding_rule), to_string(options.selection),
                      arguments.end.value_or(0), arguments.end.has_value());
  text += fmt::format("{} {}\n", to_string(options.linear_solver), options.max_steps);
  text += fmt::format("{} {} {} {}", arguments.transient.value_or(0), arguments.section, arguments.direction,
                      arguments.section_points.value_or(0));
  text += fmt::format("\n{}\n{}\n{} {}", fmt::join(task.observed, "\n"), fmt::join(arguments.columns, ","),
                      arguments.follow, !arguments.section_file.empty());
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

// The first instance that the model takes; throws what is wrong with the first run if there is none.
ModelInstance some_instance(const Model& model, const SweepPlan& plan) {
  constexpr Index most_tried = 1000;
  std::exception_ptr first;
  for (Index run = 0; run < std::min(plan.runs(), most_tried); ++run) {
    try {
      return model.instantiate(plan.settings(run));
    } catch (const std::exception&) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first);
}

// A name that the model does not know is wrong in every run, and told before the first one.
void check_names(const Model& model, const SweepPlan& plan) {
  std::vector<std::string> known = model.state_names;
  for (const Parameter& parameter : model.parameters) known.push_back(parameter.name);
  for (const SweepAxis& axis : plan.axes()) {
    if (std::find(known.begin(), known.end(), axis.name) != known.end()) continue;
    // The elements of vectors whose length is itself a parameter.
    static_cast<void>(model.instantiate(plan.settings(0)));
  }
}

// Surfaces, and what else has a name in the event table.
std::vector<std::string> section_names(const ModelInstance& instance) {
  std::vector<std::string> names = instance.system.surface_names();
  for (const Event& event : instance.system.events()) names.push_back(event.name);
  for (const TimeEvent& event : instance.system.time_events()) names.push_back(event.name);
  for (const Contact& contact : instance.system.contacts()) names.push_back(contact.name);
  const Automaton problem = instance.problem();
  for (const Edge& edge : problem.edges()) names.push_back(edge.name);
  names.erase(std::remove(names.begin(), names.end(), ""), names.end());
  return names;
}

Section section_of(const SweepArguments& arguments, const ModelInstance& instance) {
  Section section;
  section.name = arguments.section;
  if (arguments.direction == "falling") section.direction = SectionDirection::falling;
  if (arguments.direction == "any") section.direction = SectionDirection::any;
  if (arguments.section_points) section.most = *arguments.section_points;
  const std::vector<std::string> names = section_names(instance);
  if (std::find(names.begin(), names.end(), section.name) == names.end()) {
    const std::string near = nearest_name(section.name, names);
    refuse({.what = "the model has nothing of this name to take a section at",
            .where = "--section",
            .expected = names.empty()       ? "a model with surfaces or events"
                        : names.size() > 12 ? fmt::format("one of its {} surfaces and events", names.size())
                                            : fmt::format("one of {}", fmt::join(names, ", ")),
            .got = "'" + section.name + "'",
            .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  return section;
}

// Without a section there is nothing they could choose from.
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

void check_states_shown(const SweepArguments& arguments, const System& system) {
  check_option("--states", [&] {
    for (const std::string& name : arguments.states) system.state_index(name);
  });
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

// An axis is a column beside those that every table has.
void check_columns(const SweepTable& table, const SweepPlan& plan) {
  const std::vector<std::string> columns = table.columns();
  for (const SweepAxis& axis : plan.axes()) {
    if (std::count(columns.begin(), columns.end(), axis.name) > 1) {
      refuse({.what = "two columns of the table would have one name",
              .where = "--vary",
              .expected = "a parameter or state with another name",
              .got = "'" + axis.name + "'"});
    }
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

// The initial value of a state is what its neighbour ended with.
void check_followed(const SweepPlan& plan, const std::vector<std::string>& states) {
  if (plan.follow() == Follow::nothing) return;
  const std::string& first = plan.axes().front().name;
  if (std::find(states.begin(), states.end(), first) == states.end()) return;
  refuse({.what = "a run that begins where another ended has no initial value of its own",
          .where = "--follow",
          .expected = "a parameter in the first --vary",
          .got = "the state '" + first + "'",
          .advice = "states may be varied by the --vary that come after it"});
}

// The names of the observables, of which columns are made.
std::vector<std::string> observed_names(const std::vector<std::string>& observed,
                                        const ModelInstance& instance, const Options& options) {
  if (observed.empty()) return {};
  std::vector<std::string> names;
  check_option("--observe", [&] {
    names = Observation(instance.problem(), instance.observables(observed), options.sliding_rule).names();
  });
  return names;
}

SweepTask task_of(const SweepArguments& arguments, const Model& model, const SweepPlan& plan,
                  const ModelInstance& instance) {
  SweepTask task{.model = model, .plan = plan};
  task.states = instance.system.state_names();
  task.options = make_options(arguments, model.defaults);
  task.options.validate(instance.system.states());
  task.end = arguments.end;
  task.transient = arguments.transient.value_or(0);
  task.run_time_limit = arguments.run_time_limit;
  task.observed = arguments.observe.empty() ? model.defaults.observe : arguments.observe;
  if (task.transient > instance.end - instance.start) {
    refuse({.what = "nothing is left of the runs",
            .where = "--transient",
            .expected = fmt::format("at most the length of the runs, {}", instance.end - instance.start),
            .got = fmt::format("{}", task.transient)});
  }
  if (!arguments.section.empty()) {
    task.section = section_of(arguments, instance);
    task.options.full_events = true;
  }
  return task;
}

SweepColumns columns_of(const SweepArguments& arguments, const SweepTask& task,
                        const std::vector<std::string>& observed) {
  SweepColumns columns{.states = task.states, .observables = observed};
  for (const SweepAxis& axis : task.plan.axes()) columns.axes.push_back(axis.name);
  columns.with_direction = task.plan.follow() != Follow::nothing;
  columns.with_section = task.section.has_value();
  columns.section_elsewhere = !arguments.section_file.empty();
  return columns;
}

// The table is standard output, unless something else is asked for.
SweepFiles files_of(const SweepArguments& arguments) {
  const bool only_others =
      arguments.csv.empty() && (!arguments.plot.empty() || !arguments.section_file.empty());
  return {.table = only_others             ? ""
                   : arguments.csv.empty() ? "-"
                                           : arguments.csv,
          .points = arguments.section_file};
}

void check_files(const SweepArguments& arguments, const SweepFiles& files) {
  std::vector<Target> wanted;
  if (!files.table.empty()) wanted.push_back({"--csv", files.table});
  if (!files.points.empty()) wanted.push_back({"--section-file", files.points});
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});
  if (!arguments.columns.empty() && files.table.empty())
    refuse({.what = "there is no table to choose columns of",
            .where = "--columns",
            .expected = "--csv FILE beside it"});
  if (arguments.resume &&
      (arguments.csv.empty() || is_standard_output(files.table) || is_standard_output(files.points))) {
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
    if (!std::filesystem::is_regular_file(file, ignored))
      refuse({.what = "there is no such file",
              .where = "--merge",
              .expected = "the tables of all shards",
              .got = "'" + file + "'"});
  }
}

// The columns without which rows cannot be taken over.
std::vector<std::string> columns_to_go_on(const SweepArguments& arguments, const SweepTask& task) {
  std::vector<std::string> needed = {"run", "status", "sweep"};
  if (!arguments.section_file.empty()) needed.emplace_back("crossings");
  if (task.plan.follow() != Follow::nothing) {
    needed.insert(needed.end(), {"t", "location"});
    for (const std::string& state : task.states) needed.push_back("final_" + state);
  }
  if (arguments.plot.empty()) return needed;
  needed.insert(needed.end(), {"parameters", "min", "max"});
  if (task.section && arguments.section_file.empty()) needed.emplace_back("section");
  return needed;
}

void check_can_go_on(const SweepArguments& arguments, const std::vector<std::string>& lacking) {
  if (lacking.empty() || (!arguments.resume && arguments.merge.empty())) return;
  refuse({.what = "rows with these columns alone cannot be taken over",
          .where = fmt::format("--columns with {}", arguments.resume ? "--resume" : "--merge"),
          .expected = fmt::format("also {}", fmt::join(lacking, ",")),
          .got = fmt::format("{}", fmt::join(arguments.columns, ",")),
          .advice = "sweep again with these columns"});
}

std::vector<std::string> files_to_take_over(const SweepArguments& arguments, const SweepFiles& files) {
  if (!arguments.resume) return arguments.merge;
  std::vector<std::string> there;
  for (const std::string& path : {files.table, files.points}) {
    std::error_code ignored;
    if (!path.empty() && std::filesystem::exists(path, ignored)) there.push_back(path);
  }
  return there;
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

void report(const SweepArguments& arguments, const SweepTask& task, const SweepWork& work,
            const std::vector<SweepRow>& rows, bool can_resume, std::ostream& err) {
  const std::string advice =
      can_resume ? fmt::format("; --resume completes '{}'", arguments.csv) : std::string();
  const std::vector<Index> missing = work.missing_runs();
  if (!missing.empty() && !arguments.merge.empty()) {
    fmt::print(err, "slideway: {} of {} runs are in none of the files: {}{}\n", missing.size(),
               task.plan.runs(), first_of(missing), can_resume ? advice + ", instead of --merge" : advice);
  } else if (!missing.empty()) {
    fmt::print(err, "slideway: interrupted after {} of {} runs{}\n", work.done(), task.plan.runs_here(),
               advice);
  } else if (!arguments.quiet) {
    const auto failed =
        std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.succeeded(); });
    const std::string taken = arguments.merge.empty() && work.taken_over() > 0
                                  ? fmt::format(", {} of them taken over", work.taken_over())
                                  : "";
    const bool says_why =
        arguments.columns.empty() || holds_any(arguments.columns, {"message", "outcome", "all"});
    fmt::print(err, "{}{}{}\n", runs_made(task.plan, arguments), taken,
               failed == 0 ? std::string()
                           : fmt::format(", {} stopped early ({} the column message)", failed,
                                         says_why ? "see" : "--columns leaves out"));
  }
}

}  // namespace

int sweep(const SweepArguments& arguments, std::ostream& err) {
  const Model model = load_model(arguments.model);
  const SweepPlan plan(design_of(arguments));
  check_names(model, plan);
  ModelInstance instance = some_instance(model, plan);
  set_end(arguments, instance);
  const SweepTask task = task_of(arguments, model, plan, instance);
  check_section_options(arguments);
  check_states_shown(arguments, instance.system);
  check_followed(plan, task.states);
  const SweepColumns columns =
      columns_of(arguments, task, observed_names(task.observed, instance, task.options));

  const std::string mark = fingerprint(arguments, task);
  SweepTable table(columns, mark);
  check_columns(table, plan);
  if (!arguments.columns.empty()) table.choose(arguments.columns);
  const std::vector<std::string> lacking = table.missing(columns_to_go_on(arguments, task));
  check_can_go_on(arguments, lacking);
  const SweepFiles files = files_of(arguments);
  check_files(arguments, files);
  check_merge(arguments);
  std::unique_ptr<SectionTable> points;
  if (!files.points.empty()) points = std::make_unique<SectionTable>(columns, mark);

  SweepWork work(task, table, points.get(), files);
  for (const std::string& file : work.take_over(files_to_take_over(arguments, files)))
    if (!arguments.quiet)
      fmt::print(err, "slideway: the last row of '{}' was cut off; its run is {}\n", file,
                 arguments.resume ? "made again" : "left out");
  bool complete = true;
  if (arguments.merge.empty()) {
    const Index jobs = arguments.jobs.value_or(std::max<Index>(1, std::thread::hardware_concurrency()));
    complete = work.execute(jobs);
  } else {
    work.write();
    complete = work.missing_runs().empty();
  }

  const std::vector<SweepRow> rows = work.rows();
  Written pictures;
  if (!rows.empty()) {
    for (const std::string& picture : arguments.plot) {
      const auto draw = [&] {
        write_picture(sweep_script(picture_of(task, rows, arguments.states), picture_format(picture)),
                      picture);
      };
      pictures.add(picture, [&] { return draw_or_warn(picture, draw, err); });
    }
  }
  const bool can_resume = !arguments.csv.empty() && !is_standard_output(files.table) &&
                          !is_standard_output(files.points) && lacking.empty();
  report(arguments, task, work, rows, can_resume, err);
  return pictures.report_failures(err, err, complete ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
