#include <optional>
#include <ostream>

#include "apps/advice.hpp"
#include "apps/basins_documents.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/plane_arguments.hpp"
#include "apps/plane_questions.hpp"
#include "apps/progress_bar.hpp"
#include "apps/signal_watch.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

int basins(const BasinsArguments& arguments, SweepWorkers* workers, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  const ModelInstance instance = model.instantiate(arguments.settings);
  check_plane_arguments(arguments);
  const BasinDesign design = basin_design(arguments);
  BasinOptions options = basin_options(arguments, make_options(arguments, model.defaults), instance,
                                       identity_of(arguments.model), "--");
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
