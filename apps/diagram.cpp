#include <optional>
#include <ostream>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/diagram_documents.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/plane_arguments.hpp"
#include "apps/progress_bar.hpp"
#include "apps/signal_watch.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/diagram/diagram.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

constexpr Index usual_cells_of_diagram = 64;

DiagramDesign design_of(const DiagramArguments& arguments) {
  const auto [across, up] =
      arguments.size.value_or(std::pair{usual_cells_of_diagram, usual_cells_of_diagram});
  return {.across = axis_of<DiagramAxis>(arguments.plane[0], across),
          .up = axis_of<DiagramAxis>(arguments.plane[1], up),
          .fixed = arguments.settings};
}

DiagramOptions options_of(const DiagramArguments& arguments, const Model& model,
                          const ModelInstance& instance) {
  DiagramOptions options;
  options.run = make_options(arguments, model.defaults);
  check_plane_arguments(arguments);
  const bool has_period = !arguments.period.empty();
  if (has_period || !arguments.step.empty()) {
    const std::string option = has_period ? "--period" : "--step", what = has_period ? "period" : "step",
                      text = has_period ? arguments.period : arguments.step;
    options.step = [option, what, text](const ModelInstance& at) {
      return length_of_time(option, what, text, at);
    };
  }
  set_plane_options(arguments, instance, options);
  if (arguments.parts) options.parts = *arguments.parts;
  options.find_curves = !arguments.no_curves;
  if (arguments.most_rounds) options.most_rounds = *arguments.most_rounds;
  if (arguments.most_followed) options.most_followed = *arguments.most_followed;
  options.identity = identity_of(arguments.model) + '\n' + arguments.period + '\n' + arguments.step;
  return options;
}

}  // namespace

int diagram(const DiagramArguments& arguments, SweepWorkers* workers, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  const ModelInstance instance = model.instantiate(arguments.settings);
  const DiagramDesign design = design_of(arguments);
  DiagramOptions options = options_of(arguments, model, instance);
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
