// Equilibria, branches, Lyapunov exponents, sections and measurements behind the C interface.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apps/curve_options.hpp"
#include "apps/equilibria_documents.hpp"
#include "apps/lyapunov_documents.hpp"
#include "apps/measurements_file.hpp"
#include "apps/orbit_documents.hpp"
#include "apps/simulation.hpp"
#include "apps/stoppable.hpp"
#include "apps/text.hpp"
#include "apps/varied_parameter.hpp"
#include "lib/c/analysis.hpp"
#include "lib/c/findings.hpp"
#include "lib/c/run.hpp"
#include "lib/c/search_words.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/equilibrium_curves.hpp"
#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/orbit_branch.hpp"
#include "slideway/orbit/orbit_curves.hpp"
#include "slideway/simulate/poincare_section.hpp"

using namespace slideway;
using namespace slideway::door;

std::optional<std::vector<std::string>> sw_findings::names(std::string_view list) const {
  const auto found = name_lists.find(list);
  return found == name_lists.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Vector> sw_findings::values(std::string_view list) const {
  const auto found = value_lists.find(list);
  return found == value_lists.end() ? std::nullopt : std::optional(found->second);
}

std::string sw_findings::document(std::string_view format) {
  if (format != "json")
    refuse({.what = fmt::format("findings have no document '{}'", format),
            .where = "format",
            .expected = "json"});
  if (json.empty()) throw Refused(SW_ABSENT, "there is no document: only searches that could begin have one");
  return json;
}

namespace {

// The numbers of states as columns.
Vector columns_of(Index rows, const std::vector<Vector>& states) {
  Matrix all(rows, static_cast<Index>(states.size()));
  for (std::size_t k = 0; k < states.size(); ++k) all.col(static_cast<Index>(k)) = states[k];
  return all.reshaped();
}

// The kind of curves that is asked for; only curves in two parameters have one.
std::optional<std::string> taken_bifurcation(OptionText& words, const std::vector<SweepAxis>& axes) {
  const auto name = taken(words, "bifurcation");
  if (name && axes.size() != 2)
    refuse({.what = "there are no curves of bifurcations",
            .where = "bifurcation",
            .expected = "vary with two parameters beside it",
            .got = std::to_string(axes.size()) + " of them"});
  return name;
}

std::string equilibrium_curves_json(const Model& model, const RunInput& input,
                                    const std::vector<SweepAxis>& axes, const std::string& bifurcation,
                                    const EquilibriumOptions& search) {
  const EquilibriumCurveOptions asked =
      apps::equilibrium_curve_options(axes, input.instance, bifurcation, search);
  const auto at = [&](double a, double b) { return apps::instance_at(model, input.settings, axes, a, b); };
  const ModelInstance first = at(axes[0].first, asked.begin);
  const std::vector<EquilibriumCurve> curves =
      follow_equilibrium_curves([&](double a, double b) { return at(a, b).problem(); }, input.where(), asked);
  return json_of(apps::write_equilibrium_curves_json, apps::ShownEquilibriumCurves{.model = input.model->name,
                                                                                   .first = axes[0].name,
                                                                                   .second = axes[1].name,
                                                                                   .begin = asked.begin,
                                                                                   .instance = first,
                                                                                   .options = asked,
                                                                                   .curves = curves});
}

OrbitCurves orbit_curves(const Model& model, const OrbitSearch& search, const std::vector<SweepAxis>& axes,
                         const std::string& bifurcation, const PeriodFunction& period, std::string& json) {
  const RunInput& input = *search.input;
  const auto at = [&](double a, double b) { return apps::instance_at(model, input.settings, axes, a, b); };
  OrbitPlaneFamily family{.problem = [&](double a, double b) { return at(a, b).problem(); }};
  if (period.function != nullptr)
    family.period = [&](double a, double b) { return period.at({a, b}); };
  else if (!search.period.empty())
    family.period = [&](double a, double b) {
      return apps::length_of_time("period", "period", search.period, at(a, b));
    };
  const OrbitCurveOptions asked =
      apps::orbit_curve_options(axes, input.instance, bifurcation, search.options);
  const ModelInstance first = at(axes[0].first, asked.begin);
  std::optional<double> first_period;
  if (period.function != nullptr) first_period = period.at({axes[0].first, asked.begin});
  OrbitCurves found = follow_orbit_curves(family, search.guess_at(first, first_period), asked);
  json = json_of(apps::write_orbit_curves_json, apps::ShownOrbitCurves{.model = input.model->name,
                                                                       .first = axes[0].name,
                                                                       .second = axes[1].name,
                                                                       .begin = asked.begin,
                                                                       .instance = first,
                                                                       .found = found});
  return found;
}

}  // namespace

int sw_find_equilibria(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    const auto box = taken(words, "box");
    const auto starts = taken(words, "starts");
    const std::vector<SweepAxis> axes = taken_axes(words, 2);
    const std::optional<std::string> bifurcation = taken_bifurcation(words, axes);
    const RunInput input = given(model, "model")->input(words);
    const System& system = input.instance.system;
    EquilibriumOptions search{.run = input.options.run};
    const apps::StopQuestion is_stop_asked = stop_question(input.stops);
    if (starts) search.starts = whole_number_of("starts", *starts, 1);
    if (box) set_box(*box, system, search);
    if (!axes.empty()) {
      check_has_parameters(input);
      const Model stoppable = apps::stoppable(*input.model, is_stop_asked);
      if (axes.size() == 2) {
        made.json = equilibrium_curves_json(stoppable, input, axes, bifurcation.value_or(""), search);
        return SW_OK;
      }
      const SweepAxis& axis = axes.front();
      const auto problem_at = [&](double value) {
        return apps::instance_at(stoppable, input.settings, axis, value).problem();
      };
      const std::vector<EquilibriumBranch> branches =
          follow_equilibria(problem_at, input.where(),
                            {.equilibria = search,
                             .first = axis.first,
                             .last = axis.last,
                             .points = axis.count,
                             .most_points = apps::most_points_of(axis)});
      made.json =
          json_of(apps::write_equilibrium_branches_json,
                  apps::ShownEquilibriumBranches{input.model->name, axis.name, input.instance, branches});
      return SW_OK;
    }
    const Equilibria all =
        find_equilibria(apps::stoppable(input.instance, is_stop_asked).problem(), input.where(), search);
    made.json =
        json_of(apps::write_equilibria_json, apps::ShownEquilibria{input.model->name, input.instance, all});
    std::vector<Vector> states;
    made.name_lists = {{"states", system.state_names()}, {"kinds", {}}, {"stability", {}}};
    for (const Equilibrium& one : all.found) {
      states.push_back(one.state);
      made.name_lists["kinds"].emplace_back(to_string(one.kind));
      made.name_lists["stability"].emplace_back(to_string(one.stability));
    }
    made.value_lists["states"] = columns_of(system.states(), states);
    return SW_OK;
  });
}

int sw_find_exponents(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    constexpr double usual_rtol = 1e-8;
    constexpr double usual_transient = 0.1;  // of the span
    constexpr double usual_blocks = 1000;
    OptionText words = options_in(options == nullptr ? "" : options);
    const auto transient = taken(words, "transient");
    const auto block = taken(words, "block");
    const RunInput input = given(model, "model")->input(words, usual_rtol);
    const double span = input.instance.end - input.instance.start;
    const double settling = transient ? number_of("transient", *transient) : usual_transient * span;
    if (!(settling >= 0) || !(settling < span))
      refuse({.what = "the transient leaves nothing of the run",
              .where = "transient",
              .expected = fmt::format("a number from 0 to below {:.10g}", span),
              .got = fmt::format("{:.10g}", settling)});
    const double rest = span - settling;
    const LyapunovOptions search{.run = input.options.run,
                                 .block = block ? number_of("block", *block) : rest / usual_blocks,
                                 .transient = settling};
    const ModelInstance stoppable = apps::stoppable(input.instance, stop_question(input.stops));
    const LyapunovExponents exponents = lyapunov_exponents(stoppable.problem(), input.where(), search);
    made.json = json_of(apps::write_lyapunov_json,
                        apps::ShownExponents{input.model->name, input.instance, exponents, search});
    made.value_lists["exponents"] = exponents.values;
    made.value_lists["errors"] = exponents.errors;
    const std::string doubt = apps::doubt_of(exponents);
    made.tell(doubt);
    return doubt.empty() ? SW_OK : SW_STOPPED;
  });
}

int sw_follow_orbit(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    const std::vector<SweepAxis> axes = taken_axes(words, 2);
    const std::optional<std::string> bifurcation = taken_bifurcation(words, axes);
    if (axes.empty())
      refuse({.what = "a branch is followed along a parameter",
              .where = "vary",
              .expected = "vary=NAME:FIRST:LAST:COUNT",
              .got = "none"});
    const OrbitSearch search = orbit_search(*given(model, "model"), words);
    check_has_parameters(*search.input);
    const Model stoppable = apps::stoppable(*search.input->model, search.is_stop_asked);
    if (axes.size() == 2) {
      const OrbitCurves curves =
          orbit_curves(stoppable, search, axes, bifurcation.value_or(""), model->period, made.json);
      made.tell(curves.branch.message);
      const bool has_points = std::any_of(curves.curves.begin(), curves.curves.end(),
                                          [](const OrbitCurve& curve) { return !curve.points.empty(); });
      return has_points ? SW_OK : SW_STOPPED;
    }
    const SweepAxis& axis = axes.front();
    const auto instance_at = [&](double value) {
      return apps::instance_at(stoppable, search.input->settings, axis, value);
    };
    OrbitFamily family{.problem = [&](double value) { return instance_at(value).problem(); }};
    const PeriodFunction& period = model->period;
    std::optional<double> first_period;
    if (period.function != nullptr) {
      family.period = [&](double value) { return period.at({value}); };
      first_period = period.at({axis.first});
    } else if (!search.period.empty())
      family.period = [&](double value) {
        return apps::length_of_time("period", "period", search.period, instance_at(value));
      };
    const double rtol = search.options.run.rtol;
    const OrbitGuess guess =
        search.guess_at(apps::stoppable(search.input->instance, search.is_stop_asked), first_period);
    const OrbitBranch branch = follow_periodic_orbit(family, guess,
                                                     {.orbit = search.options,
                                                      .first = axis.first,
                                                      .last = axis.last,
                                                      .points = axis.count,
                                                      .most_points = apps::most_points_of(axis)});
    made.json = json_of(apps::write_branch_json, apps::ShownBranch{search.input->model->name, axis.name,
                                                                   search.input->instance, branch, rtol});
    made.tell(branch.message);
    return branch.complete ? SW_OK : SW_STOPPED;
  });
}

int sw_section(const sw_run* run, const char* name, const char* direction, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    const ModelInstance& instance = given(run, "run")->made().instance;
    const auto section = apps::section_named(given(name, "name"), given(direction, "direction"));
    if (!section)
      refuse({.what = "a section has a name", .where = "name", .expected = "that of a surface or event"});
    check_section(*section, instance.problem(), "section");
    const std::vector<SectionPoint> points = section_points(*section, instance.system, run->solution);
    Vector times(static_cast<Index>(points.size()));
    std::vector<Vector> states;
    for (const SectionPoint& point : points) {
      times[static_cast<Index>(states.size())] = point.t;
      states.push_back(point.state);
    }
    made.value_lists["times"] = std::move(times);
    made.value_lists["states"] = columns_of(instance.system.states(), states);
    return SW_OK;
  });
}

int sw_read_measurements(const char* path, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    Measurements read = apps::read_measurements(given(path, "path"));
    made.name_lists["quantities"] = std::move(read.names);
    made.value_lists["times"] =
        Eigen::Map<const Vector>(read.times.data(), static_cast<Index>(read.times.size()));
    made.value_lists["values"] = read.values.reshaped();
    return SW_OK;
  });
}
