#include <optional>
#include <ostream>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/diagram_documents.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/plane_arguments.hpp"
#include "apps/plane_questions.hpp"
#include "apps/progress_bar.hpp"
#include "apps/signal_watch.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/diagram/diagram.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

int diagram(const DiagramArguments& arguments, SweepWorkers* workers, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  const ModelInstance instance = model.instantiate(arguments.settings);
  check_plane_arguments(arguments);
  const DiagramDesign design = diagram_design(arguments);
  DiagramOptions options = diagram_options(arguments, make_options(arguments, model.defaults), instance,
                                           identity_of(arguments.model), "--");
  options.workers = workers;
  std::vector<Target> wanted = plane_targets(arguments);
  add_targets("--curves", arguments.curves, TargetKind::text, wanted);
  // Another process may have no such folder, and writes nothing.
  if (workers == nullptr || workers->is_writer()) check_targets(wanted, {arguments.model});

  const SignalWatch watch;
  options.cancel = &SignalWatch::was_interrupted();
  std::optional<ProgressBar> bar;
  options.on_progress = [&](Index done, Index total) {
    if (!bar) bar.emplace(platform::standard_error, total, done);
    bar->show(done);
  };
  const Diagram found = find_diagram(model, design, options);
  bar.reset();
  if (!found.is_writer) return exit_success;

  const ShownDiagram shown{.model = model.name,
                           .instance = instance,
                           .design = design,
                           .diagram = found,
                           .rtol = options.run.rtol};
  Written written;
  for (const std::string& path : arguments.curves)
    written.add_document(path, [&](std::ostream& stream) { write_diagram_curves(shown, stream); });
  for (const std::string& path : arguments.json)
    written.add_document(path, [&](std::ostream& stream) { write_diagram_json(shown, stream); });
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(diagram_figure(shown), path); });
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_diagram(shown, written.files, screen_behind(platform::standard_output), out);
  if (!found.complete) print_interrupted(arguments, found.done, found.total, "cells", err);
  return written.report_failures(out, err, found.complete ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
