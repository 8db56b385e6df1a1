// The call sweep(): what it is asked is checked, the runs are made, the files are written.
#include "slideway/sweep/sweep.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"
#include "slideway/simulate/observation.hpp"
#include "sweep/fingerprint.hpp"
#include "sweep/sweep_engine.hpp"
#include "sweep/thread_workers.hpp"

namespace slideway {

namespace {

void add_axis(Fingerprint& fingerprint, const SweepPlan& plan, const SweepAxis& axis) {
  fingerprint.add(axis.name + ':');
  if (plan.sampling() != Sampling::grid) {
    const SweepDesign& design = plan.design();
    fingerprint.add(fmt::format("{}:{}:{} {} {} {}", axis.first, axis.last, axis.logarithmic,
                                static_cast<int>(design.sampling), design.samples, design.seed));
  } else {
    for (Index place = 0; place < axis.size(); ++place)
      fingerprint.add(fmt::format("{},", axis.value(place)));
  }
  fingerprint.add("\n");
}

// Everything that decides the numbers of a sweep.
std::string fingerprint_of(const SweepTask& task, const SweepOptions& asked) {
  const Model& model = task.model;
  const Options& options = task.options;
  Fingerprint fingerprint;
  fingerprint.add(model, asked.identity);
  for (const SweepAxis& axis : task.plan.axes()) add_axis(fingerprint, task.plan, axis);
  for (const auto& [name, value] : task.plan.design().fixed)
    fingerprint.add(fmt::format("{}={}\n", name, value));
  fingerprint.add(options);
  fingerprint.add(fmt::format("{} {}\n", task.end.value_or(0), task.end.has_value()));
  const SweepSection section = task.section.value_or(SweepSection{.most = 0});
  fingerprint.add(fmt::format("{} {} {} {}", task.transient, section.name,
                              static_cast<int>(section.direction), section.most));
  fingerprint.add(fmt::format("\n{}\n{}\n{} {}", fmt::join(task.observed, "\n"),
                              fmt::join(asked.columns, ","), static_cast<int>(task.plan.follow()),
                              !asked.points.empty()));
  return fingerprint.text();
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

void check_end(const SweepOptions& options, const ModelInstance& instance) {
  if (!options.end || *options.end >= instance.start) return;
  refuse({.what = "the run would end before it starts",
          .where = "SweepOptions::end",
          .expected = fmt::format("a time not before the start at {}", instance.start),
          .got = fmt::format("{}", *options.end)});
}

// An axis is a column beside those that every table has.
void check_columns(const SweepTable& table, const SweepPlan& plan) {
  const std::vector<std::string> columns = table.columns();
  for (const SweepAxis& axis : plan.axes()) {
    if (std::count(columns.begin(), columns.end(), axis.name) > 1) {
      refuse({.what = "two columns of the table would have one name",
              .where = "SweepDesign::axes",
              .expected = "a parameter or state with another name",
              .got = "'" + axis.name + "'"});
    }
  }
}

// The initial value of a state is what its neighbour ended with.
void check_followed(const SweepPlan& plan, const std::vector<std::string>& states) {
  if (plan.follow() == Follow::nothing) return;
  const std::string& first = plan.axes().front().name;
  if (std::find(states.begin(), states.end(), first) == states.end()) return;
  refuse({.what = "a run that begins where another ended has no initial value of its own",
          .where = "SweepDesign::follow",
          .expected = "a parameter in the first of SweepDesign::axes",
          .got = "the state '" + first + "'",
          .advice = "states may be varied by axes that come after it"});
}

// The names of the observables, of which columns are made.
std::vector<std::string> observed_names(const std::vector<std::string>& observed,
                                        const ModelInstance& instance, const Options& options) {
  if (observed.empty()) return {};
  try {
    return Observation(instance.problem(), instance.observables(observed), options.sliding_rule).names();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("SweepOptions::observe: ") + error.what());
  }
}

SweepTask task_of(const SweepOptions& asked, const Model& model, const SweepPlan& plan,
                  const ModelInstance& instance) {
  SweepTask task{.model = model, .plan = plan};
  task.states = instance.system.state_names();
  task.options = asked.run;
  task.options.output_times.clear();
  task.options.validate(instance.system.states());
  task.end = asked.end;
  task.transient = asked.transient;
  task.run_time_limit = asked.run_time_limit;
  task.observed = asked.observe;
  task.section = asked.section;
  task.word_message = asked.word_message;
  task.audit = asked.audit;
  const double length = asked.end.value_or(instance.end) - instance.start;
  if (!(task.transient >= 0 && task.transient <= length)) {
    refuse({.what = "nothing is left of the runs",
            .where = "SweepOptions::transient",
            .expected = fmt::format("at most the length of the runs, {}", length),
            .got = fmt::format("{}", task.transient)});
  }
  if (task.section) {
    check_section({.name = task.section->name, .direction = task.section->direction}, instance.problem(),
                  "SweepOptions::section");
    task.options.full_events = true;
  }
  return task;
}

SweepColumns columns_of(const SweepOptions& options, const SweepTask& task,
                        const std::vector<std::string>& observed) {
  SweepColumns columns{.states = task.states, .observables = observed};
  for (const SweepAxis& axis : task.plan.axes()) columns.axes.push_back(axis.name);
  columns.with_direction = task.plan.follow() != Follow::nothing;
  columns.with_section = task.section.has_value();
  columns.section_elsewhere = !options.points.empty();
  return columns;
}

void check_files(const SweepOptions& options) {
  if (!options.points.empty() && !options.section)
    refuse({.what = "there are no points to write",
            .where = "SweepOptions::points",
            .expected = "SweepOptions::section beside it"});
  if (!options.resume) return;
  if (options.table.empty() || is_standard_output(options.table) || is_standard_output(options.points))
    refuse({.what = "there is nothing to resume",
            .where = "SweepOptions::resume",
            .expected = "SweepOptions::table with the file of a sweep"});
  if (!options.merge.empty())
    refuse({.what = "merging makes no runs",
            .where = "SweepOptions::merge with SweepOptions::resume",
            .expected = "one of them",
            .advice = "merge first; the same call with resume then makes the runs that are missing"});
}

// The columns without which rows cannot be taken over.
std::vector<std::string> columns_to_go_on(const SweepOptions& options, const SweepTask& task) {
  std::vector<std::string> needed = {"run", "status", "sweep"};
  if (!options.points.empty()) needed.emplace_back("crossings");
  if (task.plan.follow() != Follow::nothing) {
    needed.insert(needed.end(), {"t", "location"});
    for (const std::string& state : task.states) needed.push_back("final_" + state);
  }
  if (!options.keep_rows) return needed;
  needed.insert(needed.end(), {"parameters", "min", "max"});
  if (task.section && options.points.empty()) needed.emplace_back("section");
  return needed;
}

void check_can_go_on(const SweepOptions& options, const std::vector<std::string>& lacking) {
  if (lacking.empty() || (!options.resume && options.merge.empty())) return;
  refuse({.what = "rows with these columns alone cannot be taken over",
          .where =
              fmt::format("SweepOptions::columns with SweepOptions::{}", options.resume ? "resume" : "merge"),
          .expected = fmt::format("also {}", fmt::join(lacking, ",")),
          .got = fmt::format("{}", fmt::join(options.columns, ",")),
          .advice = "sweep again with these columns"});
}

std::vector<std::string> files_to_take_over(const SweepOptions& options) {
  if (!options.resume) return options.merge;
  std::vector<std::string> there;
  for (const std::string& path : {options.table, options.points}) {
    std::error_code ignored;
    if (!path.empty() && std::filesystem::exists(to_path(path), ignored)) there.push_back(path);
  }
  return there;
}

// Rows that memory does not hold go beside the table, whose disk has room for them.
std::string directory_of_rows(const SweepOptions& options) {
  namespace fs = std::filesystem;
  for (const std::string& path : {options.table, options.points}) {
    std::error_code failed;
    if (path.empty() || is_standard_output(path)) continue;
    const fs::path file = to_path(path);
    if (fs::exists(file, failed) && !fs::is_regular_file(file, failed)) continue;
    const fs::path folder = file.parent_path();
    return folder.empty() ? "." : to_name(folder);
  }
  return to_name(fs::temp_directory_path());
}

}  // namespace

ModelInstance sweep_instance(const Model& model, const SweepPlan& plan) {
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

SweepResult sweep(const Model& model, const SweepDesign& design, const SweepOptions& options) {
  const SweepPlan plan(design);
  check_names(model, plan);
  const ModelInstance instance = sweep_instance(model, plan);
  check_end(options, instance);
  const SweepTask task = task_of(options, model, plan, instance);
  check_followed(plan, task.states);
  check_files(options);
  const SweepColumns columns =
      columns_of(options, task, observed_names(task.observed, instance, task.options));

  const std::string mark = fingerprint_of(task, options);
  SweepTable table(columns, mark);
  check_columns(table, plan);
  if (!options.columns.empty()) table.choose(options.columns);
  const std::vector<std::string> lacking = table.missing(columns_to_go_on(options, task));
  check_can_go_on(options, lacking);
  std::unique_ptr<SectionTable> points;
  if (!options.points.empty()) points = std::make_unique<SectionTable>(columns, mark);

  SweepResult result{.runs = plan.runs_here(), .all_runs = plan.runs(), .can_resume = lacking.empty()};
  for (const SweepAxis& axis : plan.axes()) result.axes.push_back(axis.name);
  result.states = task.states;
  result.quantities = table.quantities();
  // Two shards of a sweep are not one work.
  const std::string work_mark = fmt::format("{} {}/{}", mark, design.shard.number, design.shard.of);
  SweepEngine engine(task, table, points.get(), options, work_mark, directory_of_rows(options));
  ThreadWorkers threads;
  SweepWorkers& workers = options.workers != nullptr ? *options.workers : threads;
  result.is_writer = workers.is_writer();
  if (!result.is_writer) {
    workers.run(engine);
    return result;
  }
  result.cut_files = engine.take_over(files_to_take_over(options));
  const bool makes_runs = options.merge.empty() && !engine.is_complete();
  if (!makes_runs) engine.cancel();
  // The other processes wait for the writer, also where nothing is left to do.
  if (makes_runs || options.workers != nullptr) workers.run(engine);
  const bool has_rows = !engine.is_empty() || plan.runs_here() == 0 || !options.merge.empty();
  if (has_rows) engine.write();
  engine.tell(result);
  return result;
}

}  // namespace slideway
