#include <unistd.h>

#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "apps/summary.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/html_report.hpp"
#include "slideway/io/json.hpp"
#include "slideway/io/plot.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/passivity.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

std::vector<Target> targets(const RunArguments& arguments) {
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  add_targets("--report", arguments.report, TargetKind::page, wanted);
  return wanted;
}

PlotOptions picture_options(const RunArguments& arguments) {
  return {.phase = arguments.phase,
          .title = arguments.title,
          .markers = arguments.markers == "none"      ? Markers::none
                     : arguments.markers == "sliding" ? Markers::sliding
                                                      : Markers::all,
          .size = arguments.picture_size,
          .times = arguments.picture_times};
}

// Writes what was asked for; names what exists afterwards. `write_document` writes the JSON.
template <class WriteDocument>
std::vector<std::string> write_results(const RunArguments& arguments, const RunReport& report,
                                       const WriteDocument& write_document, std::ostream& err) {
  std::vector<std::string> written;
  for (const std::string& path : arguments.json) {
    write_whole(path, write_document);
    written.push_back(path);
  }
  const CsvOptions table{
      .points = arguments.points.value_or(0), .start = report.instance.start, .end = report.instance.end};
  for (const std::string& path : arguments.csv) {
    write_whole(path, [&](std::ostream& out) { write_csv(report, out, table); });
    written.push_back(path);
  }
  for (const std::string& path : arguments.plot) {
    const auto draw = [&] { write_plot(report, path, picture_options(arguments)); };
    if (draw_or_warn(path, draw, err)) written.push_back(path);
  }
  return written;
}

SummaryOptions summary_options(const RunArguments& arguments) {
  return {.all_events = arguments.all_events || arguments.full_events,
          .screen = screen_behind(STDOUT_FILENO)};
}

// "ambiguous at t = 1", then the branches, further to the right.
void print_tree(const Branch& branch, const std::string& indent, std::ostream& out) {
  for (const Branch& child : branch.branches) {
    const Solution& solution = child.solution;
    const auto events = static_cast<long long>(solution.events.size());
    fmt::print(out, "{}mode {} from t = {:.10g}: {}, {} at t = {:.10g} in mode {}\n", indent,
               solution.initial.mode.word(), solution.initial.t, counted(events, "event"),
               to_string(solution.outcome.status), solution.outcome.t, solution.final.mode.word());
    print_tree(child, indent + "  ", out);
  }
}

void tell_user(Branch& branch) {
  branch.solution.outcome.message = without_choice(told_to_user(branch.solution.outcome.message));
  for (Branch& child : branch.branches) tell_user(child);
}

// Follows every continuation.
int run_all_branches(const RunArguments& arguments, const Model& model, const ModelInstance& instance,
                     const Options& options, Observation* observation, const std::vector<Target>& wanted,
                     std::ostream& out, std::ostream& err) {
  if (!arguments.report.empty()) {
    refuse({.what = "a page shows one trajectory, not a tree of them",
            .where = "--report with --on-ambiguity branches",
            .expected = "--json or --plot",
            .got = "--report",
            .advice = "choose one continuation with --on-ambiguity minus, plus or slide for a page"});
  }
  if (!arguments.csv.empty()) {
    refuse({.what = "a table holds one trajectory, not a tree of them",
            .where = "--csv with --on-ambiguity branches",
            .expected = "--json or --plot",
            .got = "--csv",
            .advice = "choose one continuation with --on-ambiguity minus, plus or slide for a table"});
  }
  BranchTree tree = follow_branches(Simulator(instance.problem(), options),
                                    {.start = instance.start, .end = instance.end, .state = instance.state});
  tell_user(tree.root);
  const RunReport report{.model = model.name,
                         .instance = instance,
                         .solution = tree.root.solution,
                         .further = solutions_below(tree.root),
                         .observation = observation};
  const auto document = [&](std::ostream& stream) {
    write_json(report, tree, stream, {.full_events = arguments.full_events});
  };
  const std::vector<std::string> written = write_results(arguments, report, document, err);
  if (!arguments.quiet && !any_on_standard_output(wanted)) {
    print_summary(report, options, written, summary_options(arguments), out);
    if (!tree.root.branches.empty()) fmt::print(out, "\nbranches\n");
    print_tree(tree.root, "  ", out);
    if (!tree.complete)
      fmt::print(out, "  (there are more: the bound on the number of solutions is reached)\n");
  }
  for (const Solution* leaf : leaves(tree.root)) {
    if (!leaf->outcome.succeeded()) return exit_stopped_early;
  }
  return exit_success;
}

// An option that has no effect here is a mistake, not something to pass over.
void check_effect(const RunArguments& arguments) {
  if (!arguments.phase.empty() && arguments.plot.empty() && arguments.report.empty()) {
    refuse({.what = "there is no picture to show the phase portrait in",
            .where = "--phase",
            .expected = "--plot FILE or --report FILE beside it"});
  }
  const std::pair<const char*, bool> of_picture[] = {{"--title", !arguments.title.empty()},
                                                     {"--markers", !arguments.markers.empty()},
                                                     {"--size", arguments.picture_size.has_value()},
                                                     {"--t-range", arguments.picture_times.has_value()}};
  for (const auto& [option, is_given] : of_picture) {
    if (is_given && arguments.plot.empty()) {
      refuse({.what = "there is no picture for this option to change",
              .where = option,
              .expected = "--plot FILE beside it"});
    }
  }
  if (arguments.points && arguments.csv.empty())
    refuse({.what = "there is no table to write the rows to",
            .where = "--points",
            .expected = "--csv FILE beside it"});
}

// The quantities to be seen beside the states; null for none.
std::unique_ptr<Observation> make_observation(const RunArguments& arguments, const Model& model,
                                              const ModelInstance& instance, const Options& options) {
  const std::vector<std::string>& observed =
      arguments.observe.empty() ? model.defaults.observe : arguments.observe;
  if (observed.empty()) return nullptr;
  return std::make_unique<Observation>(instance.problem(), instance.observables(observed),
                                       options.sliding_rule);
}

void check_passivity(const ModelInstance& instance, const Options& options) {
  if (instance.friction.empty()) {
    refuse({.what = "the model does not say which of its forces are friction",
            .where = "--passivity",
            .expected = "a model with friction: in a file, a table [friction]",
            .got = "none",
            .advice = "write F = { law = \"coulomb\", velocity = \"v\", Fc = 1.0 } in [friction] and use F"});
  }
  if (options.on_ambiguity == Ambiguity::branches) {
    refuse({.what = "the work of friction belongs to one solution",
            .where = "--passivity with --on-ambiguity branches",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  }
}

}  // namespace

int run(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  check_effect(arguments);
  const Model model = load_model(arguments.model);
  ModelInstance instance = model.instantiate(arguments.settings);
  Options options = make_options(arguments, model.defaults);
  options.full_events = arguments.full_events;
  // Only a table of the trajectory and a picture need more than events and the final state.
  if (arguments.csv.empty() && arguments.plot.empty() && arguments.report.empty())
    options.recording = Recording::nothing;
  set_end(arguments, instance);
  if (arguments.passivity) check_passivity(instance, options);
  const std::vector<Target> wanted = targets(arguments);
  check_targets(wanted, arguments.model);
  if (const auto& times = arguments.picture_times;
      times && (times->second <= instance.start || times->first >= instance.end)) {
    refuse({.what = "there is nothing to draw",
            .where = "--t-range",
            .expected = fmt::format("times between {:.10g} and {:.10g}", instance.start, instance.end),
            .got = fmt::format("{:.10g}:{:.10g}", times->first, times->second)});
  }
  check_option("--phase", [&] { check_phase({.phase = arguments.phase}, instance.system); });
  const std::unique_ptr<Observation> observation = make_observation(arguments, model, instance, options);
  if (options.on_ambiguity == Ambiguity::branches) {
    return run_all_branches(arguments, model, instance, options, observation.get(), wanted, out, err);
  }
  std::optional<PassivityWatch> watch;
  if (arguments.passivity) {
    watch.emplace(instance.problem(), instance.friction, options.sliding_rule);
    options.on_step = [&](const StepView& step) { watch->add(step); };
  }
  const Simulator simulator(instance.problem(), options);

  Solution solution = simulator.run({.start = instance.start, .end = instance.end, .state = instance.state});
  solution.outcome.message = told_to_user(solution.outcome.message, Branches::offered);

  RunReport report{.model = model.name, .instance = instance, .solution = solution};
  report.observation = observation.get();
  if (watch) report.friction = watch->results(options.rtol);
  const auto document = [&](std::ostream& stream) {
    write_json(report, stream, {.full_events = arguments.full_events});
  };
  std::vector<std::string> written = write_results(arguments, report, document, err);
  for (const std::string& path : arguments.report) {
    const HtmlOptions page{.picture = {.phase = arguments.phase},
                           .how = fmt::format("{}, rtol {:.3g}", to_string(options.method), options.rtol)};
    write_whole(path, [&](std::ostream& stream) { write_html(report, model, stream, page); });
    written.push_back(path);
  }
  const bool output_is_taken = any_on_standard_output(wanted);
  const bool stopped_early = !solution.outcome.succeeded();
  if (!arguments.quiet && !output_is_taken) {
    print_summary(report, options, written, summary_options(arguments), out);
  } else if (stopped_early) {
    fmt::print(err, "slideway: {}\n", outcome_line(solution.outcome));
  }
  return stopped_early ? exit_stopped_early : exit_success;
}

}  // namespace slideway::apps
