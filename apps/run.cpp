#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/followed_run.hpp"
#include "apps/layout.hpp"
#include "apps/run_checkpoints.hpp"
#include "apps/run_pictures.hpp"
#include "apps/run_several.hpp"
#include "apps/signal_watch.hpp"
#include "apps/summary.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/html_report.hpp"
#include "slideway/io/json.hpp"
#include "slideway/io/plot.hpp"
#include "slideway/io/section.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

// Writes what was asked for; names what exists afterwards. `write_document` writes the JSON.
template <class WriteDocument>
Written write_results(const RunArguments& arguments, const Model& model, const RunReport& report,
                      const WriteDocument& write_document, std::ostream& err) {
  Written written;
  const auto add = [&](const std::string& path, const std::function<void(std::ostream&)>& writer) {
    written.add(path, [&] {
      write_whole(path, writer);
      return std::vector{path};
    });
  };
  for (const std::string& path : arguments.json) add(path, write_document);
  const CsvOptions table{
      .points = arguments.points.value_or(0), .start = report.instance.start, .end = report.instance.end};
  for (const std::string& path : arguments.csv)
    add(path, [&](std::ostream& out) { write_csv(report, out, table); });
  write_pictures(
      arguments,
      [&](const std::string& path) {
        return write_plot(report, path, picture_options(arguments, model, report));
      },
      written, err);
  return written;
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
  const Written written = write_results(arguments, model, report, document, err);
  if (!arguments.quiet && !any_on_standard_output(wanted)) {
    print_summary(report, options, written.files, summary_options(arguments), out);
    if (!tree.root.branches.empty()) fmt::print(out, "\nbranches\n");
    print_tree(tree.root, "  ", out);
    if (!tree.complete)
      fmt::print(out, "  (there are more: the bound on the number of solutions is reached)\n");
  }
  for (const Solution* leaf : leaves(tree.root)) {
    if (!leaf->outcome.succeeded()) return written.report_failures(out, err, exit_stopped_early);
  }
  return written.report_failures(out, err, exit_success);
}

}  // namespace

int run(const RunArguments& command_line, std::ostream& out, std::ostream& err) {
  RunCheckpoints checkpoints(command_line);
  const RunArguments& arguments = checkpoints.arguments();
  check_effect(arguments);
  if (arguments.models.size() > 1 || !arguments.axes.empty()) return run_several(arguments, out, err);
  FollowedRun followed = prepare_run(arguments, arguments.model, arguments.settings);
  const Options& options = followed.options;
  const ModelInstance& instance = followed.instance;
  const std::vector<Target> wanted = targets(arguments);
  check_targets(wanted, {arguments.model});
  check_picture(arguments, {&followed});
  if (options.on_ambiguity == Ambiguity::branches) {
    return run_all_branches(arguments, followed.model, instance, options, followed.observation.get(), wanted,
                            out, err);
  }
  if (!checkpoints.any()) {
    // Ctrl-C ends the run, and its results are written; a second one ends the program.
    const SignalWatch watch;
    follow(followed, &SignalWatch::was_interrupted());
  } else if (!checkpoints.follow(followed, err)) {
    return checkpoints.report_stop(err);
  }
  const Solution& solution = followed.solution;
  const RunReport report = followed.report();
  const auto document = [&](std::ostream& stream) {
    write_json(report, stream, {.full_events = arguments.full_events});
  };
  Written written = write_results(arguments, followed.model, report, document, err);
  for (const std::string& path : arguments.report) {
    const HtmlOptions page{.picture = {.phase = arguments.phase, .states = arguments.states},
                           .how = fmt::format("{}, rtol {:.3g}", to_string(options.method), options.rtol)};
    written.add(path, [&] {
      write_whole(path, [&](std::ostream& stream) { write_html(report, followed.model, stream, page); });
      return std::vector{path};
    });
  }
  for (const std::string& path : arguments.section_file) {
    written.add(path, [&] {
      write_whole(path, [&](std::ostream& stream) { write_section_csv(report, stream); });
      return std::vector{path};
    });
  }
  for (const std::string& path : arguments.section_plot) {
    written.add_picture(path, [&] {
      const PlotOptions picture = picture_options(arguments, followed.model, report);
      write_figure(section_figure(report, picture), path);
    });
  }
  const bool output_is_taken = any_on_standard_output(wanted);
  const bool stopped_early = !solution.outcome.succeeded();
  if (!arguments.quiet && !output_is_taken) {
    print_summary(report, options, written.files, summary_options(arguments), out);
  } else if (stopped_early) {
    fmt::print(err, "slideway: {}\n", outcome_line(solution.outcome));
  }
  if (arguments.quiet || output_is_taken) print_contradictions(followed, "", err);
  return written.report_failures(out, err,
                                 stopped_early                ? exit_stopped_early
                                 : followed.is_contradicted() ? exit_audit_failed
                                                              : exit_success);
}

}  // namespace slideway::apps
