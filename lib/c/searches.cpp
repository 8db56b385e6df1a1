// Equilibria, branches, Lyapunov exponents, sections and measurements behind the C interface.
#include <limits>
#include <sstream>
#include <utility>

#include <fmt/format.h>

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
#include "slideway/core/errors.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/orbit_branch.hpp"
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

// colon_parts() cuts "NAME:FIRST:LAST:…" at the colons. It refuses a text that has not `count` parts.
std::vector<std::string> colon_parts(const char* option, const std::string& text, std::size_t count,
                                     const char* expected) {
  std::vector<std::string> parts = apps::split(text, ':');
  if (parts.size() != count)
    refuse({.what = "an option has no such value", .where = option, .expected = expected, .got = text});
  return parts;
}

// The parameter of the option `vary`; nothing without it.
std::optional<SweepAxis> taken_axis(OptionText& words) {
  const auto value = taken(words, "vary");
  if (!value) return std::nullopt;
  const std::vector<std::string> parts = colon_parts("vary", *value, 4, "NAME:FIRST:LAST:COUNT");
  SweepAxis axis{.name = parts[0]};
  axis.first = number_of("vary", parts[1]);
  axis.last = number_of("vary", parts[2]);
  axis.count = whole_number_of("vary", parts[3], 2);
  if (axis.first == axis.last)
    refuse({.what = "a branch is followed between two values",
            .where = "vary",
            .expected = "different ends",
            .got = *value});
  return axis;
}

// Callbacks read what they read: no parameter of theirs can be varied.
void check_has_parameters(const RunInput& input) {
  if (!input.is_called) return;
  refuse({.what = "a model of callbacks has no parameter to vary",
          .where = "vary",
          .expected = "a model that is a file",
          .got = "callbacks"});
}

template <class Write, class Shown>
std::string json_of(Write write, const Shown& shown) {
  std::ostringstream text;
  write(shown, text);
  return text.str();
}

void take_box(const std::string& text, const System& system, EquilibriumOptions& options) {
  options.lower = options.upper = Vector::Constant(system.states(), std::numeric_limits<double>::quiet_NaN());
  for (const std::string& side : parts_of(text)) {
    const std::vector<std::string> parts = colon_parts("box", side, 3, "NAME:LEAST:GREATEST,…");
    const Index state = system.state_index(parts[0]);
    options.lower[state] = number_of("box", parts[1]);
    options.upper[state] = number_of("box", parts[2]);
  }
}

// The numbers of states as columns.
Vector columns_of(Index rows, const std::vector<Vector>& states) {
  Matrix all(rows, static_cast<Index>(states.size()));
  for (std::size_t k = 0; k < states.size(); ++k) all.col(static_cast<Index>(k)) = states[k];
  return all.reshaped();
}

}  // namespace

int sw_find_equilibria(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    const auto box = taken(words, "box");
    const auto starts = taken(words, "starts");
    const std::optional<SweepAxis> axis = taken_axis(words);
    const RunInput input = given(model, "model")->input(words);
    const System& system = input.instance.system;
    EquilibriumOptions search{.run = input.options.run};
    const apps::StopQuestion is_stop_asked = stop_question(input.stops);
    if (starts) search.starts = whole_number_of("starts", *starts, 1);
    if (box) take_box(*box, system, search);
    if (axis) {
      check_has_parameters(input);
      const Model stoppable = apps::stoppable(*input.model, is_stop_asked);
      const auto problem_at = [&](double value) {
        return apps::instance_at(stoppable, input.settings, *axis, value).problem();
      };
      const std::vector<EquilibriumBranch> branches =
          follow_equilibria(problem_at, input.where(),
                            {.equilibria = search,
                             .first = axis->first,
                             .last = axis->last,
                             .points = axis->count,
                             .most_points = apps::most_points_of(*axis)});
      made.json =
          json_of(apps::write_equilibrium_branches_json,
                  apps::ShownEquilibriumBranches{input.model->name, axis->name, input.instance, branches});
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
    const std::optional<SweepAxis> axis = taken_axis(words);
    if (!axis)
      refuse({.what = "a branch is followed along a parameter",
              .where = "vary",
              .expected = "vary=NAME:FIRST:LAST:COUNT",
              .got = "none"});
    const OrbitSearch search = orbit_search(*given(model, "model"), words);
    check_has_parameters(*search.input);
    const Model stoppable = apps::stoppable(*search.input->model, search.is_stop_asked);
    const auto instance_at = [&](double value) {
      return apps::instance_at(stoppable, search.input->settings, *axis, value);
    };
    OrbitFamily family{.problem = [&](double value) { return instance_at(value).problem(); }};
    if (!search.period.empty())
      family.period = [&](double value) {
        return apps::length_of_time("period", "period", search.period, instance_at(value));
      };
    const double rtol = search.options.run.rtol;
    const OrbitBranch branch = follow_periodic_orbit(family, search.guess,
                                                     {.orbit = search.options,
                                                      .first = axis->first,
                                                      .last = axis->last,
                                                      .points = axis->count,
                                                      .most_points = apps::most_points_of(*axis)});
    made.json = json_of(apps::write_branch_json, apps::ShownBranch{search.input->model->name, axis->name,
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
