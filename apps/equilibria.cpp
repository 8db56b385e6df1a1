#include <optional>
#include <ostream>
#include <utility>

#include "apps/branch_figures.hpp"
#include "apps/commands.hpp"
#include "apps/curve_options.hpp"
#include "apps/equilibria_documents.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/search_box.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "apps/varied_parameter.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/equilibrium_curves.hpp"

namespace slideway::apps {

namespace {

int follow_branches(const EquilibriaArguments& arguments, const Model& model, EquilibriumOptions options,
                    const std::vector<Target>& wanted, std::ostream& out, std::ostream& err) {
  const SweepAxis& axis = arguments.axes.front();
  ModelInstance first = instance_at(model, arguments.settings, axis, axis.first);
  set_end(arguments, first);
  const std::vector<EquilibriumBranch> branches = follow_equilibria(
      [&](double value) { return instance_at(model, arguments.settings, axis, value).problem(); },
      {.start = first.start, .end = first.end, .state = first.state},
      {.equilibria = std::move(options),
       .first = axis.first,
       .last = axis.last,
       .points = static_cast<Index>(axis.count),
       .most_points = most_points_of(axis)});
  const ShownEquilibriumBranches shown{
      .model = model.name, .parameter = axis.name, .instance = first, .branches = branches};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_equilibrium_branches_json);
  for (const std::string& path : arguments.csv) add(path, write_equilibrium_branches_csv);
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(equilibrium_branches_figure(shown), path); });
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_equilibrium_branches(shown, written.files, screen_behind(platform::standard_output), out);
  return written.report_failures(out, err, exit_success);
}

int follow_curves(const EquilibriaArguments& arguments, const Model& model, const ModelInstance& instance,
                  EquilibriumOptions options, const std::vector<Target>& wanted, std::ostream& out,
                  std::ostream& err) {
  const std::vector<SweepAxis>& axes = arguments.axes;
  const EquilibriumCurveOptions asked =
      equilibrium_curve_options(axes, instance, arguments.bifurcation, options);
  ModelInstance first = instance_at(model, arguments.settings, axes, axes[0].first, asked.begin);
  set_end(arguments, first);
  const std::vector<EquilibriumCurve> curves = follow_equilibrium_curves(
      [&](double a, double b) { return instance_at(model, arguments.settings, axes, a, b).problem(); },
      {.start = first.start, .end = first.end, .state = first.state}, asked);
  const ShownEquilibriumCurves shown{.model = model.name,
                                     .first = axes[0].name,
                                     .second = axes[1].name,
                                     .begin = asked.begin,
                                     .instance = first,
                                     .options = asked,
                                     .curves = curves};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_equilibrium_curves_json);
  for (const std::string& path : arguments.csv) add(path, write_equilibrium_curves_csv);
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(equilibrium_curves_figure(shown), path); });
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_equilibrium_curves(shown, written.files, screen_behind(platform::standard_output), out);
  return written.report_failures(out, err, exit_success);
}

}  // namespace

int equilibria(const EquilibriaArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  ModelInstance instance = model.instantiate(arguments.settings);
  set_end(arguments, instance);
  EquilibriumOptions options;
  options.run = make_options(arguments, model.defaults);
  options.starts = arguments.starts.value_or(0);
  set_box(arguments.box, instance.system, options);
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});
  const bool has_plane = arguments.axes.size() > 1;
  if (!has_plane && !arguments.bifurcation.empty()) {
    refuse({.what = "there are no curves of bifurcations",
            .where = "--bifurcation",
            .expected = "--vary for two parameters beside it",
            .got = arguments.axes.empty() ? "none" : "one"});
  }
  if (arguments.axes.empty() && !arguments.plot.empty()) {
    refuse({.what = "only branches of equilibria have a picture",
            .where = "--plot",
            .expected = "--vary P=FIRST:LAST:COUNT with it",
            .got = "--plot alone"});
  }
  if (!arguments.axes.empty()) {
    check_varied_parameters(arguments.axes, "equilibria are followed along ranges of one or two parameters");
    if (has_plane) return follow_curves(arguments, model, instance, std::move(options), wanted, out, err);
    return follow_branches(arguments, model, std::move(options), wanted, out, err);
  }

  const Equilibria found = find_equilibria(
      instance.problem(), {.start = instance.start, .end = instance.end, .state = instance.state}, options);
  const ShownEquilibria shown{.model = model.name, .instance = instance, .equilibria = found};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_equilibria_json);
  for (const std::string& path : arguments.csv) add(path, write_equilibria_csv);
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_equilibria(shown, written.files, screen_behind(platform::standard_output), out);
  return written.report_failures(out, err, exit_success);
}

}  // namespace slideway::apps
