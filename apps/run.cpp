#include <unistd.h>

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "apps/summary.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/json.hpp"
#include "slideway/io/plot.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

// The command line beats the model's own options, which beat the built-in defaults.
Options make_options(const RunArguments& arguments, const ModelDefaults& defaults) {
  Options options;
  if (defaults.rtol > 0) options.rtol = defaults.rtol;
  if (arguments.rtol) options.rtol = *arguments.rtol;

  if (!defaults.atol.empty()) {
    options.atol = Tolerance(
        Vector(Eigen::Map<const Vector>(defaults.atol.data(), static_cast<Index>(defaults.atol.size()))));
  }
  if (arguments.atol) options.atol = *arguments.atol;

  const std::string& method = arguments.method.empty() ? defaults.method : arguments.method;
  if (!method.empty()) options.method = method_from(method);
  const std::string& policy = arguments.on_ambiguity.empty() ? defaults.on_ambiguity : arguments.on_ambiguity;
  if (policy == "branches") {
    refuse({.what = "following every branch is not built yet",
            .where = "options of the model: on_ambiguity",
            .expected = "stop, minus, plus or slide",
            .got = policy});
  }
  if (!policy.empty()) options.on_ambiguity = ambiguity_from(policy);
  if (!defaults.sliding_rule.empty() && defaults.sliding_rule != "filippov") {
    refuse({.what = "this sliding rule is not built yet",
            .where = "options of the model: sliding_rule",
            .expected = "filippov",
            .got = defaults.sliding_rule});
  }

  if (arguments.max_step) options.max_step = *arguments.max_step;
  if (arguments.max_events) options.max_events = *arguments.max_events;
  options.full_events = arguments.full_events;
  return options;
}

struct Target {
  std::string option;
  std::string path;
};

std::vector<Target> targets(const RunArguments& arguments) {
  std::vector<Target> wanted;
  for (const Target& target :
       {Target{"--csv", arguments.csv}, Target{"--json", arguments.json}, Target{"--plot", arguments.plot}}) {
    if (!target.path.empty()) wanted.push_back(target);
  }
  return wanted;
}

// Everything that can go wrong with a result before there is one; throws.
void check_targets(const std::vector<Target>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t j = i + 1; j < wanted.size(); ++j) {
      if (wanted[i].path == wanted[j].path) {
        const bool standard = is_standard_output(wanted[i].path);
        refuse({.what = fmt::format("{} and {} would write to the same place", wanted[i].option,
                                    wanted[j].option),
                .where = standard ? "standard output" : wanted[i].path,
                .expected = standard ? "one document on standard output" : "a file for each"});
      }
    }
    try {
      if (wanted[i].option == "--plot") picture_format(wanted[i].path);
      check_writable(wanted[i].path);
    } catch (const std::exception& error) {
      throw std::invalid_argument(fmt::format("{}: {}", wanted[i].option, error.what()));
    }
  }
}

// Writes what was asked for; names what exists afterwards.
std::vector<std::string> write_results(const RunArguments& arguments, const RunReport& report,
                                       std::ostream& err) {
  std::vector<std::string> written;
  if (!arguments.json.empty()) {
    write_whole(arguments.json,
                [&](std::ostream& out) { write_json(report, out, {.full_events = arguments.full_events}); });
    written.push_back(arguments.json);
  }
  if (!arguments.csv.empty()) {
    const CsvOptions options{
        .points = arguments.points.value_or(0), .start = report.instance.start, .end = report.instance.end};
    write_whole(arguments.csv, [&](std::ostream& out) { write_csv(report, out, options); });
    written.push_back(arguments.csv);
  }
  if (!arguments.plot.empty()) {
    try {
      write_plot(report, arguments.plot);
      written.push_back(arguments.plot);
    } catch (const GnuplotMissing& missing) {
      fmt::print(err, "slideway: warning: no picture '{}': {}\n", arguments.plot, missing.what());
    }
  }
  return written;
}

}  // namespace

int run(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model);
  ModelInstance instance = model.instantiate(arguments.settings);
  Options options = make_options(arguments, model.defaults);
  // Only a table of the trajectory and a picture need more than events and the final state.
  if (arguments.csv.empty() && arguments.plot.empty()) options.recording = Recording::nothing;
  if (arguments.end) {
    if (*arguments.end < instance.start) {
      refuse({.what = "the run would end before it starts",
              .where = "--t-end",
              .expected = fmt::format("a time not before the start at {}", instance.start),
              .got = fmt::format("{}", *arguments.end)});
    }
    instance.end = *arguments.end;
  }
  const Simulator simulator(instance.problem(), options);
  const std::vector<Target> wanted = targets(arguments);
  check_targets(wanted);

  const Solution solution =
      simulator.run({.start = instance.start, .end = instance.end, .state = instance.state});

  const RunReport report{.model = model.name, .instance = instance, .solution = solution};
  const std::vector<std::string> written = write_results(arguments, report, err);
  const bool output_is_taken = std::any_of(
      wanted.begin(), wanted.end(), [](const Target& target) { return is_standard_output(target.path); });
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
