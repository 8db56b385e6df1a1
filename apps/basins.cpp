#include <optional>
#include <ostream>

#include "apps/advice.hpp"
#include "apps/basins_documents.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/plane_arguments.hpp"
#include "apps/progress_bar.hpp"
#include "apps/signal_watch.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

constexpr Index usual_cells = 256;

BasinDesign design_of(const BasinsArguments& arguments) {
  const auto [across, up] = arguments.size.value_or(std::pair{usual_cells, usual_cells});
  return {.across = axis_of<BasinAxis>(arguments.plane[0], across),
          .up = axis_of<BasinAxis>(arguments.plane[1], up),
          .fixed = arguments.settings};
}

BasinOptions options_of(const BasinsArguments& arguments, const Model& model, const ModelInstance& instance) {
  BasinOptions options;
  options.run = make_options(arguments, model.defaults);
  check_plane_arguments(arguments);
  if (!arguments.period.empty())
    options.step = length_of_time("--period", "period", arguments.period, instance);
  if (!arguments.step.empty()) options.step = length_of_time("--step", "step", arguments.step, instance);
  set_plane_options(arguments, instance, options);
  options.thorough = arguments.thorough;
  if (arguments.samples) options.samples = *arguments.samples;
  if (arguments.seed) options.seed = static_cast<std::uint64_t>(*arguments.seed);
  options.identity = identity_of(arguments.model);
  return options;
}

}  // namespace

int basins(const BasinsArguments& arguments, SweepWorkers* workers, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  const ModelInstance instance = model.instantiate(arguments.settings);
  const BasinDesign design = design_of(arguments);
  BasinOptions options = options_of(arguments, model, instance);
  options.workers = workers;
  const std::vector<Target> wanted = plane_targets(arguments);
  // Another process may have no such folder, and writes nothing.
  if (workers == nullptr || workers->is_writer()) check_targets(wanted, {arguments.model});

  const SignalWatch watch;
  options.cancel = &SignalWatch::was_interrupted();
  std::optional<ProgressBar> bar;
  options.on_progress = [&](Index done, Index total) {
    if (!bar) bar.emplace(platform::standard_error, total, done);
    bar->show(done);
  };
  Basins found = find_basins(model, design, options);
  bar.reset();
  if (!found.is_writer) return exit_success;
  for (BasinAttractor& attractor : found.attractors) attractor.message = told_to_user(attractor.message);
  for (BasinEnd& end : found.ends) end.message = told_to_user(end.message);

  const ShownBasins shown{
      .model = model.name, .instance = instance, .design = design, .basins = found, .rtol = options.run.rtol};
  Written written;
  for (const std::string& path : arguments.json)
    written.add_document(path, [&](std::ostream& stream) { write_basins_json(shown, stream); });
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(basins_figure(shown), path); });
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_basins(shown, written.files, screen_behind(platform::standard_output), out);
  if (!found.complete) print_interrupted(arguments, found.done, found.total, "starts", err);
  return written.report_failures(out, err, found.complete ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
