#include <algorithm>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/branch_figures.hpp"
#include "apps/commands.hpp"
#include "apps/curve_options.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/orbit_documents.hpp"
#include "apps/orbit_guess.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "apps/varied_parameter.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/io/plot.hpp"

namespace slideway::apps {

namespace {

constexpr double usual_orbit_rtol = 1e-10;

double period_of(const std::string& text, const ModelInstance& instance) {
  return length_of_time("--period", "period", text, instance);
}

void check_request(const OrbitArguments& arguments, const ModelInstance& instance) {
  if (arguments.section.empty() && arguments.period.empty() && !schedule_period(instance.problem())) {
    refuse({.what = "nothing says when the orbit comes back",
            .where = "slideway orbit",
            .expected = "--section NAME, or --period PERIOD where the equations depend on time; time events "
                        "need neither",
            .got = "neither"});
  }
  if (arguments.section.empty() && (!arguments.direction.empty() || arguments.returns)) {
    refuse({.what = "there is no section that arrivals could be counted at",
            .where = arguments.direction.empty() ? "--returns" : "--direction",
            .expected = "--section NAME beside it",
            .got = "none"});
  }
  if (!arguments.period.empty() && arguments.returns) {
    refuse({.what = "the period says already when the orbit comes back",
            .where = "--returns with --period",
            .expected = "one of both",
            .got = "both"});
  }
  if (arguments.transient && arguments.end) {
    refuse({.what = "two options say where the transient ends",
            .where = "--transient with --t-end",
            .expected = "one of both",
            .got = "both"});
  }
}

// check_request() has made sure that something says when the orbit comes back.
OrbitGuess guess_of(const OrbitArguments& arguments, const ModelInstance& instance, const Options& options) {
  OrbitQuestion question{.section = section_named(arguments.section, arguments.direction),
                         .returns = arguments.returns.value_or(0),
                         .transient = arguments.transient.value_or(instance.end - instance.start)};
  if (!arguments.period.empty()) question.period = period_of(arguments.period, instance);
  return *orbit_guess(question, instance, options);
}

void check_branch(const OrbitArguments& arguments) {
  check_varied_parameters(arguments.axes, "orbits are followed along ranges of one or two parameters");
  if (arguments.shots) {
    refuse({.what = "the orbits of a branch are followed in one shot",
            .where = "--shots with --vary",
            .expected = "no --shots",
            .got = "--shots"});
  }
}

int follow_branch(const OrbitArguments& arguments, const Model& model, const OrbitOptions& options,
                  const std::vector<Target>& wanted, std::ostream& out, std::ostream& err) {
  const SweepAxis& axis = arguments.axes.front();
  const auto at = [&](double value) { return instance_at(model, arguments.settings, axis, value); };
  ModelInstance first = at(axis.first);
  set_end(arguments, first);
  OrbitFamily family{.problem = [&](double value) { return at(value).problem(); }};
  if (!arguments.period.empty())
    family.period = [&](double value) { return period_of(arguments.period, at(value)); };
  OrbitBranch branch = follow_periodic_orbit(family, guess_of(arguments, first, options.run),
                                             {.orbit = options,
                                              .first = axis.first,
                                              .last = axis.last,
                                              .points = static_cast<Index>(axis.count),
                                              .most_points = most_points_of(axis)});
  branch.message = told_to_user(branch.message);
  const ShownBranch shown{.model = model.name,
                          .parameter = axis.name,
                          .instance = first,
                          .branch = branch,
                          .rtol = options.run.rtol};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_branch_json);
  for (const std::string& path : arguments.csv) add(path, write_branch_csv);
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(orbit_branch_figure(shown), path); });
  if (!arguments.quiet && !any_on_standard_output(wanted)) {
    print_branch(shown, written.files, screen_behind(platform::standard_output), out);
  } else if (!branch.complete) {
    fmt::print(err, "slideway: {}\n", branch.message);
  }
  return written.report_failures(out, err, branch.complete ? exit_success : exit_stopped_early);
}

int follow_curves(const OrbitArguments& arguments, const Model& model, const ModelInstance& instance,
                  const OrbitOptions& options, const std::vector<Target>& wanted, std::ostream& out,
                  std::ostream& err) {
  const std::vector<SweepAxis>& axes = arguments.axes;
  const OrbitCurveOptions asked = orbit_curve_options(axes, instance, arguments.bifurcation, options);
  const auto at = [&](double a, double b) { return instance_at(model, arguments.settings, axes, a, b); };
  ModelInstance first = at(axes[0].first, asked.begin);
  set_end(arguments, first);
  OrbitPlaneFamily family{.problem = [&](double a, double b) { return at(a, b).problem(); }};
  if (!arguments.period.empty())
    family.period = [&](double a, double b) { return period_of(arguments.period, at(a, b)); };
  OrbitCurves found = follow_orbit_curves(family, guess_of(arguments, first, options.run), asked);
  found.branch.message = told_to_user(found.branch.message);
  const ShownOrbitCurves shown{.model = model.name,
                               .first = axes[0].name,
                               .second = axes[1].name,
                               .begin = asked.begin,
                               .instance = first,
                               .found = found};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_orbit_curves_json);
  for (const std::string& path : arguments.csv) add(path, write_orbit_curves_csv);
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(orbit_curves_figure(shown), path); });
  const bool has_points = std::any_of(found.curves.begin(), found.curves.end(),
                                      [](const OrbitCurve& curve) { return !curve.points.empty(); });
  if (!arguments.quiet && !any_on_standard_output(wanted)) {
    print_orbit_curves(shown, written.files, screen_behind(platform::standard_output), out);
  } else if (!has_points) {
    fmt::print(err, "slideway: no bifurcation has a curve: {}\n",
               found.branch.message.empty() ? "none is on the branch" : found.branch.message);
  }
  return written.report_failures(out, err, has_points ? exit_success : exit_stopped_early);
}

}  // namespace

int orbit(const OrbitArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  ModelInstance instance = model.instantiate(arguments.settings);
  check_request(arguments, instance);
  OrbitOptions options;
  options.run = make_options(arguments, model.defaults);
  if (!arguments.rtol && !(model.defaults.rtol > 0)) options.run.rtol = usual_orbit_rtol;
  set_end(arguments, instance);
  if (arguments.shots) options.shots = *arguments.shots;
  if (arguments.iterations) options.max_iterations = static_cast<int>(*arguments.iterations);
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});
  const std::optional<PoincareSection> section = section_named(arguments.section, arguments.direction);
  if (section) check_section(*section, instance.problem(), "--section");

  if (arguments.axes.size() < 2 && !arguments.bifurcation.empty()) {
    refuse({.what = "there are no curves of bifurcations",
            .where = "--bifurcation",
            .expected = "--vary for two parameters beside it",
            .got = arguments.axes.empty() ? "none" : "one"});
  }
  if (!arguments.axes.empty()) {
    check_branch(arguments);
    if (arguments.axes.size() > 1)
      return follow_curves(arguments, model, instance, options, wanted, out, err);
    return follow_branch(arguments, model, options, wanted, out, err);
  }

  PeriodicOrbit found =
      find_periodic_orbit(instance.problem(), guess_of(arguments, instance, options.run), options);
  found.message = told_to_user(found.message);
  found.admissibility = told_to_user(found.admissibility);
  found.solution.sensitivities.reset();  // the documents hold the orbit, and of derivatives the multipliers

  const ShownOrbit shown{.model = model.name,
                         .instance = instance,
                         .orbit = found,
                         .section = section,
                         .rtol = options.run.rtol};
  Written written;
  for (const std::string& path : arguments.json)
    written.add_document(path, [&](std::ostream& stream) { write_orbit_json(shown, stream); });
  if (found.converged) {
    ModelInstance along = instance;
    along.start = found.start;
    along.end = found.start + found.period;
    along.state = found.state;
    const RunReport report{.model = model.name, .instance = along, .solution = found.solution};
    for (const std::string& path : arguments.csv)
      written.add_document(path, [&](std::ostream& stream) {
        write_csv(report, stream, {.points = 0, .start = along.start, .end = along.end});
      });
    for (const std::string& path : arguments.plot)
      written.add_picture(path, [&] { write_plot(report, path); });
  } else {
    fmt::print(err, "slideway: {}\n", found.message);
  }
  if (found.converged && !arguments.quiet && !any_on_standard_output(wanted))
    print_orbit(shown, written.files, screen_behind(platform::standard_output), out);
  return written.report_failures(out, err, found.converged ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
