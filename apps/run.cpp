#include <unistd.h>

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "apps/summary.hpp"
#include "apps/targets.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/json.hpp"
#include "slideway/io/plot.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

std::vector<Target> targets(const RunArguments& arguments) {
  std::vector<Target> wanted;
  for (const std::string& path : arguments.csv) wanted.push_back({"--csv", path});
  for (const std::string& path : arguments.json) wanted.push_back({"--json", path});
  for (const std::string& path : arguments.plot) wanted.push_back({"--plot", path, true});
  return wanted;
}

// Writes what was asked for; names what exists afterwards.
std::vector<std::string> write_results(const RunArguments& arguments, const RunReport& report,
                                       std::ostream& err) {
  std::vector<std::string> written;
  for (const std::string& path : arguments.json) {
    write_whole(path,
                [&](std::ostream& out) { write_json(report, out, {.full_events = arguments.full_events}); });
    written.push_back(path);
  }
  const CsvOptions table{
      .points = arguments.points.value_or(0), .start = report.instance.start, .end = report.instance.end};
  for (const std::string& path : arguments.csv) {
    write_whole(path, [&](std::ostream& out) { write_csv(report, out, table); });
    written.push_back(path);
  }
  for (const std::string& path : arguments.plot) {
    try {
      write_plot(report, path, {.phase = arguments.phase});
      written.push_back(path);
    } catch (const GnuplotMissing& missing) {
      fmt::print(err, "slideway: warning: no picture '{}': {}\n", path, missing.what());
    }
  }
  return written;
}

}  // namespace

int run(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model);
  ModelInstance instance = model.instantiate(arguments.settings);
  Options options = make_options(arguments, model.defaults);
  options.full_events = arguments.full_events;
  // Only a table of the trajectory and a picture need more than events and the final state.
  if (arguments.csv.empty() && arguments.plot.empty()) options.recording = Recording::nothing;
  set_end(arguments, instance);
  const Simulator simulator(instance.problem(), options);
  const std::vector<Target> wanted = targets(arguments);
  check_targets(wanted);
  check_phase({.phase = arguments.phase}, instance.system);

  const Solution solution =
      simulator.run({.start = instance.start, .end = instance.end, .state = instance.state});

  const RunReport report{.model = model.name, .instance = instance, .solution = solution};
  const std::vector<std::string> written = write_results(arguments, report, err);
  const bool output_is_taken = any_on_standard_output(wanted);
  const bool stopped_early = !solution.outcome.succeeded();
  if (!arguments.quiet && !output_is_taken) {
    print_summary(report, options, written,
                  {.all_events = arguments.full_events, .colours = wants_colours(STDOUT_FILENO)}, out);
  } else if (stopped_early) {
    fmt::print(err, "slideway: {}\n", outcome_line(solution.outcome));
  }
  return stopped_early ? exit_stopped_early : exit_success;
}

}  // namespace slideway::apps
