#include "apps/run_several.hpp"

#include <algorithm>
#include <deque>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/exit_status.hpp"
#include "apps/followed_run.hpp"
#include "apps/run_pictures.hpp"
#include "apps/summary.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/sweep/sweep_plan.hpp"

namespace slideway::apps {

namespace {

// Colours and dashes tell this many curves apart, and no more.
constexpr Index most_runs = 12;

void refuse_documents(const RunArguments& arguments) {
  const std::pair<const char*, bool> of_one_run[] = {{"--csv", !arguments.csv.empty()},
                                                     {"--json", !arguments.json.empty()},
                                                     {"--report", !arguments.report.empty()},
                                                     {"--section", !arguments.section.empty()}};
  for (const auto& [option, is_given] : of_one_run) {
    if (!is_given) continue;
    refuse({.what = "this document holds one run, not several",
            .where = option,
            .expected = "--plot, which draws them over each other",
            .advice = "run them one after the other, or tabulate them with `slideway sweep`"});
  }
  if (arguments.raster) {
    refuse({.what = "a raster shows one run, not several", .where = "--raster", .expected = "one model"});
  }
}

// "mu = 0.1, w = 2"; empty where nothing is varied.
std::string varied_text(const std::vector<SweepAxis>& axes, const std::vector<double>& values) {
  std::string text;
  for (std::size_t k = 0; k < axes.size(); ++k)
    text += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", axes[k].name, values[k]);
  return text;
}

struct Several {
  std::deque<FollowedRun> runs = {};     // which stay where they are
  std::vector<std::string> labels = {};  // in the legend
};

void add(Several& several, FollowedRun run, const std::string& argument, const std::string& varied,
         bool one_model) {
  const bool is_named_twice =
      std::any_of(several.runs.begin(), several.runs.end(),
                  [&](const FollowedRun& other) { return varied.empty() && other.title == run.title; });
  const std::string name = is_named_twice ? argument : run.title;
  several.labels.push_back(varied.empty() ? name : one_model ? varied : fmt::format("{}, {}", name, varied));
  run.title = varied.empty() ? name : fmt::format("{}, {}", name, varied);
  several.runs.push_back(std::move(run));
}

Several prepare(const RunArguments& arguments) {
  Several several;
  for (const std::string& model : arguments.models) {
    if (arguments.axes.empty()) {
      add(several, prepare_run(arguments, model, arguments.settings), model, "", false);
    } else {
      const SweepPlan plan({.axes = arguments.axes, .fixed = arguments.settings});
      if (plan.runs() * static_cast<Index>(arguments.models.size()) > most_runs) {
        refuse({.what = "too many runs for one picture",
                .where = "--vary",
                .expected = fmt::format("at most {}", most_runs),
                .got = std::to_string(plan.runs() * static_cast<Index>(arguments.models.size())),
                .advice = "`slideway sweep` draws what becomes of many"});
      }
      for (Index k = 0; k < plan.runs(); ++k) {
        add(several, prepare_run(arguments, model, plan.settings(k)), model,
            varied_text(plan.axes(), plan.values(k)), arguments.models.size() == 1);
      }
    }
  }
  if (several.runs.size() > static_cast<std::size_t>(most_runs)) {
    refuse({.what = "too many runs for one picture",
            .where = "the models",
            .expected = fmt::format("at most {}", most_runs),
            .got = std::to_string(several.runs.size())});
  }
  for (const FollowedRun& run : several.runs) {
    if (run.options.on_ambiguity != Ambiguity::branches) continue;
    refuse({.what = "several runs are drawn with one solution of each",
            .where = "--on-ambiguity branches",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  }
  return several;
}

}  // namespace

int run_several(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  refuse_documents(arguments);
  Several several = prepare(arguments);
  const std::vector<Target> wanted = targets(arguments);
  check_targets(wanted, arguments.models);
  std::vector<const FollowedRun*> prepared;
  for (const FollowedRun& run : several.runs) prepared.push_back(&run);
  check_picture(arguments, prepared);

  const auto layers_now = [&] {
    std::vector<RunLayer> layers;
    for (std::size_t k = 0; k < several.runs.size(); ++k)
      layers.push_back({several.runs[k].report(), several.labels[k]});
    return layers;
  };
  if (!arguments.plot.empty()) check_option("--plot", [&] { check_overlay(layers_now()); });
  for (FollowedRun& run : several.runs) follow(run);
  const std::vector<RunLayer> layers = layers_now();
  PlotOptions options = picture_options(arguments, several.runs.front().model, layers.front().report);
  if (options.title.empty() && arguments.models.size() == 1) options.title = several.runs.front().model.name;
  Written written;
  write_pictures(
      arguments, [&](const std::string& path) { return write_plot(layers, path, options); }, written, err);

  bool stopped_early = false;
  bool is_contradicted = false;
  const bool prints = !arguments.quiet && !any_on_standard_output(wanted);
  for (std::size_t k = 0; k < several.runs.size(); ++k) {
    const FollowedRun& run = several.runs[k];
    const bool is_last = k + 1 == several.runs.size();
    if (prints) {
      if (k > 0) fmt::print(out, "\n");
      print_summary(layers[k].report, run.options, is_last ? written.files : std::vector<std::string>{},
                    summary_options(arguments), out);
    } else if (!run.solution.outcome.succeeded()) {
      fmt::print(err, "slideway: {}: {}\n", run.title, outcome_line(run.solution.outcome));
    }
    if (!prints) print_contradictions(run, run.title + ": ", err);
    stopped_early = stopped_early || !run.solution.outcome.succeeded();
    is_contradicted = is_contradicted || run.is_contradicted();
  }
  return written.report_failures(out, err,
                                 stopped_early     ? exit_stopped_early
                                 : is_contradicted ? exit_audit_failed
                                                   : exit_success);
}

}  // namespace slideway::apps
