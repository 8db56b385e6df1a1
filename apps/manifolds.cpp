#include <limits>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/manifold_documents.hpp"
#include "apps/manifold_figures.hpp"
#include "apps/orbit_guess.hpp"
#include "apps/search_box.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "apps/varied_parameter.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

constexpr double usual_manifold_rtol = 1e-10;

bool is_of_orbit(const ManifoldArguments& arguments) {
  return !arguments.section.empty() || !arguments.period.empty();
}

[[noreturn]] void refuse_together(const std::string& option, const std::string& other,
                                  const std::string& what) {
  refuse({.what = what, .where = option + " with " + other, .expected = "one of both", .got = "both"});
}

void check_manifold_request(const ManifoldArguments& arguments) {
  if (!arguments.connect && !arguments.axes.empty()) {
    refuse({.what = "nothing is looked for along the parameter",
            .where = "--vary",
            .expected = "--connect STATE=VALUE, the section at which gaps are measured, beside it",
            .got = "--vary alone"});
  }
  if (arguments.connect && arguments.axes.empty()) {
    refuse({.what = "a gap of manifolds closes at a value of a parameter",
            .where = "--connect",
            .expected = "--vary P=FIRST:LAST:COUNT beside it",
            .got = "--connect alone"});
  }
  if (arguments.axes.size() > 1) {
    refuse({.what = "connections are looked for along one parameter",
            .where = "--vary",
            .expected = "P=FIRST:LAST:COUNT, once",
            .got = std::to_string(arguments.axes.size()) + " of them"});
  }
  if (arguments.connect && is_of_orbit(arguments))
    refuse_together("--connect", arguments.section.empty() ? "--period" : "--section",
                    "connections are those of equilibria");
  if (!is_of_orbit(arguments) && (arguments.transient || arguments.returns || !arguments.direction.empty())) {
    refuse({.what = "there is no orbit that these options could be about",
            .where = arguments.transient ? "--transient" : (arguments.returns ? "--returns" : "--direction"),
            .expected = "--section NAME or --period PERIOD beside it",
            .got = "neither"});
  }
  if (is_of_orbit(arguments) &&
      (!arguments.box.empty() || arguments.starts || arguments.time || arguments.fan)) {
    refuse({.what = "the manifolds of an orbit have no such option",
            .where = !arguments.box.empty() ? "--box"
                     : arguments.starts     ? "--starts"
                     : arguments.time       ? "--time"
                                            : "--fan",
            .expected = "manifolds of equilibria, without --section and --period",
            .got = "those of an orbit"});
  }
  if (!is_of_orbit(arguments) && arguments.max_runs) {
    refuse({.what = "the manifolds of equilibria are one run for each piece",
            .where = "--max-runs",
            .expected = "--section NAME or --period PERIOD beside it",
            .got = "neither"});
  }
}

std::pair<Index, Index> plane_of(const ManifoldArguments& arguments, const System& system) {
  if (arguments.phase.empty()) return {0, std::min<Index>(1, system.states() - 1)};
  if (arguments.phase.size() != 2) {
    refuse({.what = "a picture of manifolds shows a plane",
            .where = "--phase",
            .expected = "two states, as x,v",
            .got = std::to_string(arguments.phase.size()) + " names"});
  }
  std::pair<Index, Index> plane;
  check_option("--phase", [&] {
    plane = {system.state_index(arguments.phase[0]), system.state_index(arguments.phase[1])};
  });
  return plane;
}

// What every kind of manifolds has in common on the command line.
struct Request {
  const ManifoldArguments& arguments;
  const Model& model;
  ModelInstance instance;
  Options run;
  std::vector<Target> wanted;
  std::pair<Index, Index> plane;

  ManifoldOptions manifolds() const {
    ManifoldOptions options;
    options.run = run;
    options.stable = arguments.only != "unstable";
    options.unstable = arguments.only != "stable";
    options.length = arguments.length.value_or(0);
    options.most_time = arguments.time.value_or(0);
    if (arguments.fan) options.fan = *arguments.fan;
    return options;
  }
  EquilibriumOptions search() const {
    EquilibriumOptions options;
    options.run = run;
    options.starts = arguments.starts.value_or(0);
    set_box(arguments.box, instance.system, options);
    return options;
  }
  template <class Shown>
  int write(const Shown& shown, void (*json)(const Shown&, std::ostream&),
            void (*csv)(const Shown&, std::ostream&),
            void (*print)(const Shown&, const std::vector<std::string>&, const Screen&, std::ostream&),
            const std::function<Figure()>& figure, std::ostream& out, std::ostream& err, int status) const {
    Written written;
    for (const std::string& path : arguments.json)
      written.add_document(path, [&](std::ostream& stream) { json(shown, stream); });
    for (const std::string& path : arguments.csv)
      written.add_document(path, [&](std::ostream& stream) { csv(shown, stream); });
    for (const std::string& path : arguments.plot)
      written.add_picture(path, [&figure, path] { write_figure(figure(), path); });
    if (!arguments.quiet && !any_on_standard_output(wanted))
      print(shown, written.files, screen_behind(platform::standard_output), out);
    return written.report_failures(out, err, status);
  }
};

int of_orbit(const Request& request, std::ostream& out, std::ostream& err) {
  const ManifoldArguments& arguments = request.arguments;
  const std::optional<PoincareSection> section = section_named(arguments.section, arguments.direction);
  if (section) check_section(*section, request.instance.problem(), "--section");
  OrbitQuestion question{.section = section,
                         .returns = arguments.returns.value_or(0),
                         .transient = arguments.transient.value_or(0)};
  if (!arguments.period.empty())
    question.period = length_of_time("--period", "period", arguments.period, request.instance);
  if (section && !arguments.transient) question.transient = request.instance.end - request.instance.start;
  const Automaton problem = request.instance.problem();
  PeriodicOrbit orbit = find_periodic_orbit(problem, *orbit_guess(question, request.instance, request.run),
                                            {.run = request.run});
  if (!orbit.converged) {
    fmt::print(err, "slideway: {}\n", told_to_user(orbit.message));
    return exit_stopped_early;
  }
  OrbitManifoldOptions options;
  options.run = request.run;
  options.stable = arguments.only != "unstable";
  options.unstable = arguments.only != "stable";
  options.length = arguments.length.value_or(0);
  if (arguments.max_runs) options.most_runs = *arguments.max_runs;
  const OrbitManifolds manifolds = follow_orbit_manifolds(problem, orbit, options);
  const ShownOrbitManifolds shown{
      .model = request.model.name, .instance = request.instance, .orbit = orbit, .manifolds = manifolds};
  return request.write(
      shown, write_orbit_manifolds_json, write_orbit_manifolds_csv, print_orbit_manifolds,
      [&] { return orbit_manifolds_figure(shown, request.plane); }, out, err,
      manifolds.curves.empty() ? exit_stopped_early : exit_success);
}

int of_equilibria(const Request& request, std::ostream& out, std::ostream& err) {
  const ModelInstance& instance = request.instance;
  const std::vector<EquilibriumManifolds> saddles = find_manifolds(
      instance.problem(), {.start = instance.start, .end = instance.end, .state = instance.state},
      request.search(), request.manifolds());
  const ShownManifolds shown{.model = request.model.name, .instance = instance, .saddles = saddles};
  return request.write(
      shown, write_manifolds_json, write_manifolds_csv, print_manifolds,
      [&] { return manifolds_figure(shown, request.plane); }, out, err,
      saddles.empty() ? exit_stopped_early : exit_success);
}

int connections(const Request& request, std::ostream& out, std::ostream& err) {
  const ManifoldArguments& arguments = request.arguments;
  check_varied_parameters(arguments.axes, "connections are looked for along the range of one parameter");
  const SweepAxis& axis = arguments.axes.front();
  ModelInstance first = instance_at(request.model, arguments.settings, axis, axis.first);
  set_end(arguments, first);
  ConnectionOptions options{.equilibria = request.search(),
                            .manifolds = request.manifolds(),
                            .first = axis.first,
                            .last = axis.last,
                            .points = static_cast<Index>(axis.count),
                            .value = arguments.connect->second};
  check_option("--connect", [&] { options.state = first.system.state_index(arguments.connect->first); });
  const Connections found = find_connections(
      [&](double value) { return instance_at(request.model, arguments.settings, axis, value).problem(); },
      {.start = first.start, .end = first.end, .state = first.state}, options);
  const ShownConnections shown{.model = request.model.name,
                               .parameter = axis.name,
                               .instance = first,
                               .options = options,
                               .connections = found};
  return request.write(
      shown, write_connections_json, write_connections_csv, print_connections,
      [&] { return connections_figure(shown); }, out, err,
      found.found.empty() ? exit_stopped_early : exit_success);
}

}  // namespace

int manifolds(const ManifoldArguments& arguments, std::ostream& out, std::ostream& err) {
  check_manifold_request(arguments);
  const Model model = load_model(arguments.model, arguments.fmu_import);
  Request request{.arguments = arguments,
                  .model = model,
                  .instance = model.instantiate(arguments.settings),
                  .run = make_options(arguments, model.defaults),
                  .wanted = {},
                  .plane = {}};
  set_end(arguments, request.instance);
  if (!arguments.rtol && !(model.defaults.rtol > 0)) request.run.rtol = usual_manifold_rtol;
  request.plane = plane_of(arguments, request.instance.system);
  add_targets("--csv", arguments.csv, TargetKind::text, request.wanted);
  add_targets("--json", arguments.json, TargetKind::text, request.wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, request.wanted);
  check_targets(request.wanted, {arguments.model});
  if (arguments.connect) return connections(request, out, err);
  return is_of_orbit(arguments) ? of_orbit(request, out, err) : of_equilibria(request, out, err);
}

}  // namespace slideway::apps
