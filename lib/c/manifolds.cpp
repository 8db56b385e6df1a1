// Manifolds and connections behind the C interface.
#include <algorithm>
#include <utility>

#include "apps/manifold_documents.hpp"
#include "apps/stoppable.hpp"
#include "apps/varied_parameter.hpp"
#include "lib/c/analysis.hpp"
#include "lib/c/findings.hpp"
#include "lib/c/search_words.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/manifolds/connections.hpp"
#include "slideway/manifolds/equilibrium_manifolds.hpp"
#include "slideway/manifolds/orbit_manifolds.hpp"

using namespace slideway;
using namespace slideway::door;

namespace {

constexpr double usual_manifold_rtol = 1e-10;

struct ManifoldWords {
  std::string only = {};
  double length = 0;
  double time = 0;
  std::optional<Index> fan = {};
  std::optional<Index> max_runs = {};
  std::optional<std::string> box = {};
  std::optional<Index> starts = {};
  std::optional<std::pair<std::string, double>> connect = {};
  std::vector<SweepAxis> axes = {};

  bool is_stable() const { return only != "unstable"; }
  bool is_unstable() const { return only != "stable"; }
};

ManifoldWords manifold_words(OptionText& words) {
  ManifoldWords result;
  result.only = taken(words, "only").value_or("");
  if (!result.only.empty() && result.only != "stable" && result.only != "unstable") {
    refuse({.what = "there are no such manifolds",
            .where = "only",
            .expected = "stable or unstable",
            .got = result.only});
  }
  result.length = taken_size(words, "length").value_or(0);
  result.time = taken_size(words, "time").value_or(0);
  result.fan = taken_whole(words, "fan", 0);
  result.max_runs = taken_whole(words, "max_runs", 1);
  result.box = taken(words, "box");
  result.starts = taken_whole(words, "starts", 1);
  if (const auto section = taken(words, "connect")) {
    const std::vector<std::string> parts = colon_parts("connect", *section, 2, "STATE:VALUE");
    result.connect = {parts[0], number_of("connect", parts[1])};
  }
  result.axes = taken_axes(words, 1);
  if (result.connect.has_value() == result.axes.empty()) {
    refuse({.what = "connections are found by their gap at a section, along a parameter",
            .where = result.connect ? "connect" : "vary",
            .expected = "connect=STATE:VALUE and vary=NAME:FIRST:LAST:COUNT",
            .got = "one of both"});
  }
  return result;
}

ManifoldOptions options_of(const ManifoldWords& asked, const Options& run) {
  ManifoldOptions options{.run = run,
                          .stable = asked.is_stable(),
                          .unstable = asked.is_unstable(),
                          .length = asked.length,
                          .most_time = asked.time};
  if (asked.fan) options.fan = *asked.fan;
  return options;
}

int orbit_manifolds(const sw_model& model, OptionText words, const ManifoldWords& asked, sw_findings& made) {
  const auto has = [&](const char* name) {
    return std::any_of(words.begin(), words.end(), [&](const auto& word) { return word.first == name; });
  };
  // A saddle is not found by waiting.
  if (has("period") && !has("transient")) words.emplace_back("transient", "0");
  const OrbitSearch search = orbit_search(model, std::move(words));
  const ModelInstance stoppable = apps::stoppable(search.input->instance, search.is_stop_asked);
  const Automaton problem = stoppable.problem();
  const PeriodicOrbit orbit =
      find_periodic_orbit(problem, search.guess_at(stoppable, {}), {.run = search.options.run});
  if (!orbit.converged) throw Refused(SW_ABSENT, orbit.message);
  OrbitManifoldOptions options{.run = search.options.run,
                               .stable = asked.is_stable(),
                               .unstable = asked.is_unstable(),
                               .length = asked.length};
  if (asked.max_runs) options.most_runs = *asked.max_runs;
  const OrbitManifolds found = follow_orbit_manifolds(problem, orbit, options);
  made.json =
      json_of(apps::write_orbit_manifolds_json,
              apps::ShownOrbitManifolds{search.input->model->name, search.input->instance, orbit, found});
  return SW_OK;
}

int connections(const RunInput& input, const ManifoldWords& asked, const EquilibriumOptions& search,
                sw_findings& made) {
  check_has_parameters(input);
  const SweepAxis& axis = asked.axes.front();
  const Model stoppable = apps::stoppable(*input.model, stop_question(input.stops));
  ConnectionOptions options{.equilibria = search,
                            .manifolds = options_of(asked, input.options.run),
                            .first = axis.first,
                            .last = axis.last,
                            .points = axis.count,
                            .state = input.instance.system.state_index(asked.connect->first),
                            .value = asked.connect->second};
  const Connections found = find_connections(
      [&](double value) { return apps::instance_at(stoppable, input.settings, axis, value).problem(); },
      input.where(), options);
  made.json = json_of(apps::write_connections_json, apps::ShownConnections{.model = input.model->name,
                                                                           .parameter = axis.name,
                                                                           .instance = input.instance,
                                                                           .options = options,
                                                                           .connections = found});
  return SW_OK;
}

}  // namespace

int sw_find_manifolds(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    const ManifoldWords asked = manifold_words(words);
    const bool is_of_orbit = std::any_of(words.begin(), words.end(), [](const auto& word) {
      return word.first == "section" || word.first == "period";
    });
    if (is_of_orbit && asked.connect) {
      refuse({.what = "connections are those of equilibria",
              .where = "connect",
              .expected = "no section and no period beside it",
              .got = "one of them"});
    }
    if (is_of_orbit && (asked.box || asked.starts || asked.fan || asked.time > 0)) {
      refuse({.what = "the manifolds of an orbit have no such option",
              .where = "box, starts, time or fan",
              .expected = "manifolds of equilibria, without section and period",
              .got = "those of an orbit"});
    }
    if (!is_of_orbit && asked.max_runs) {
      refuse({.what = "the manifolds of equilibria are one run for each piece",
              .where = "max_runs",
              .expected = "section or period beside it",
              .got = "neither"});
    }
    if (is_of_orbit) return orbit_manifolds(*given(model, "model"), std::move(words), asked, made);
    const RunInput input = given(model, "model")->input(words, usual_manifold_rtol);
    EquilibriumOptions search{.run = input.options.run};
    if (asked.starts) search.starts = *asked.starts;
    if (asked.box) set_box(*asked.box, input.instance.system, search);
    if (asked.connect) return connections(input, asked, search, made);
    const std::vector<EquilibriumManifolds> saddles =
        find_manifolds(apps::stoppable(input.instance, stop_question(input.stops)).problem(), input.where(),
                       search, options_of(asked, input.options.run));
    made.json =
        json_of(apps::write_manifolds_json, apps::ShownManifolds{input.model->name, input.instance, saddles});
    return SW_OK;
  });
}
