#include <ostream>

#include "apps/commands.hpp"
#include "apps/comparison_documents.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

ComparisonPlan make_plan(const CompareArguments& arguments) {
  ComparisonPlan plan;
  plan.epsilon = arguments.epsilon;
  plan.step = arguments.step;
  plan.target = arguments.error;
  if (arguments.bisections) plan.bisections = *arguments.bisections;
  if (arguments.checkpoints) plan.checkpoints = *arguments.checkpoints;
  if (arguments.levels) plan.levels = *arguments.levels;
  if (arguments.repeats) plan.repeats = *arguments.repeats;
  if (arguments.evaluations) plan.most_evaluations = *arguments.evaluations;
  return plan;
}

}  // namespace

int compare(const CompareArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  ModelInstance instance = model.instantiate(arguments.settings);
  const Options options = make_options(arguments, model.defaults);
  set_end(arguments, instance);
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});

  const Comparison comparison = compare_approaches(instance, options, make_plan(arguments));

  const ComparedModel compared{model.name, instance, options};
  Written written;
  for (const std::string& path : arguments.json) {
    write_whole(path, [&](std::ostream& stream) { write_comparison_json(compared, comparison, stream); });
    written.files.push_back(path);
  }
  for (const std::string& path : arguments.csv) {
    write_whole(path, [&](std::ostream& stream) { write_comparison_csv(compared, comparison, stream); });
    written.files.push_back(path);
  }
  for (const std::string& path : arguments.plot) {
    const auto draw = [&] {
      write_figure(comparison_figure(comparison_picture(compared, comparison)), path);
    };
    written.add_picture(path, draw);
  }
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_comparison(compared, comparison, written.files, screen_behind(platform::standard_output), out);
  return written.report_failures(
      out, err, comparison.attempts.front().outcome.succeeded() ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
