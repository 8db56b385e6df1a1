#include "apps/plane_questions.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "apps/simulation.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::apps {

namespace {

constexpr Index usual_cells_of_basins = 256;
constexpr Index usual_cells_of_diagram = 64;

// Design is BasinDesign or DiagramDesign, whose sides are alike.
template <class Design>
Design design_of(const PlaneArguments& arguments, Index usual_cells) {
  const auto [across, up] = arguments.size.value_or(std::pair{usual_cells, usual_cells});
  Design design;
  const auto take = [](const SweepAxis& given, Index cells, auto& side) {
    side = {.name = given.name, .low = given.first, .high = given.last, .cells = cells};
  };
  take(arguments.plane[0], across, design.across);
  take(arguments.plane[1], up, design.up);
  design.fixed = arguments.settings;
  return design;
}

// The time between two looks at a solution, as it was asked for.
struct AskedStep {
  std::string option = {};  // "period" or "step"; "" where nothing was asked for
  std::string text = {};
};

AskedStep asked_step(const PlaneArguments& arguments, const std::string& before) {
  if (!arguments.period.empty() && !arguments.step.empty())
    refuse({.what = "two options say when a solution is looked at",
            .where = before + "period with " + before + "step",
            .expected = "one of both",
            .got = "both"});
  if (!arguments.period.empty()) return {.option = "period", .text = arguments.period};
  if (!arguments.step.empty()) return {.option = "step", .text = arguments.step};
  return {};
}

// Sets what is asked for on every plane in the options of basins or of a diagram.
template <class PlaneOptions>
void set_plane_options(const PlaneArguments& arguments, const Options& run, const ModelInstance& instance,
                       const std::string& before, PlaneOptions& options) {
  options.run = run;
  for (const auto& [name, period] : arguments.wrap)
    options.wrap.emplace_back(name, length_of_time(before + "wrap", "period", period, instance));
  if (arguments.most_steps) options.most_steps = *arguments.most_steps;
  if (arguments.reach) options.reach = *arguments.reach;
  options.jobs = arguments.jobs.value_or(0);
  options.table = arguments.csv;
  options.resume = arguments.resume;
}

// The message with names of options in place of the fields of the library.
std::string in_words(std::string message) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> names = {{
      {"BasinDesign::across", "plane"},
      {"BasinDesign::up", "plane"},
      {"BasinDesign", "plane"},
      {"DiagramDesign::across", "plane"},
      {"DiagramDesign::up", "plane"},
      {"DiagramDesign", "plane"},
      {"Options::step", "Options::period"},
      {"Options::most_steps", "Options::max_rounds"},
      {"Options::table", "Options::csv"},
      {"Options::most_rounds", "Options::curve_rounds"},
      {"BasinOptions::", ""},
      {"DiagramOptions::", ""},
  }};
  for (const auto& [field, name] : names)
    for (std::size_t at = message.find(field); at != std::string::npos; at = message.find(field, at))
      message.replace(at, field.size(), name);
  return message;
}

template <class Search>
auto with_words(Search&& search) {
  try {
    return search();
  } catch (const std::invalid_argument& error) {
    const std::string message = in_words(error.what());
    if (message == error.what()) throw;
    throw std::invalid_argument(message);
  }
}

}  // namespace

BasinDesign basin_design(const BasinsArguments& arguments) {
  return design_of<BasinDesign>(arguments, usual_cells_of_basins);
}

DiagramDesign diagram_design(const DiagramArguments& arguments) {
  return design_of<DiagramDesign>(arguments, usual_cells_of_diagram);
}

BasinOptions basin_options(const BasinsArguments& arguments, const Options& run,
                           const ModelInstance& instance, const std::string& identity,
                           const std::string& before) {
  BasinOptions options;
  const AskedStep step = asked_step(arguments, before);
  if (!step.option.empty())
    options.step = length_of_time(before + step.option, step.option, step.text, instance);
  set_plane_options(arguments, run, instance, before, options);
  options.thorough = arguments.thorough;
  if (arguments.samples) options.samples = *arguments.samples;
  if (arguments.seed) options.seed = static_cast<std::uint64_t>(*arguments.seed);
  options.identity = identity;
  return options;
}

DiagramOptions diagram_options(const DiagramArguments& arguments, const Options& run,
                               const ModelInstance& instance, const std::string& identity,
                               const std::string& before) {
  DiagramOptions options;
  const AskedStep step = asked_step(arguments, before);
  if (!step.option.empty())
    options.step = [step, option = before + step.option](const ModelInstance& at) {
      return length_of_time(option, step.option, step.text, at);
    };
  set_plane_options(arguments, run, instance, before, options);
  if (arguments.parts) options.parts = *arguments.parts;
  options.find_curves = !arguments.no_curves;
  if (arguments.most_rounds) options.most_rounds = *arguments.most_rounds;
  if (arguments.most_followed) options.most_followed = *arguments.most_followed;
  options.identity = identity + '\n' + arguments.period + '\n' + arguments.step;
  return options;
}

Basins find_asked_basins(const Model& model, const BasinDesign& design, const BasinOptions& options) {
  return with_words([&] { return find_basins(model, design, options); });
}

Diagram find_asked_diagram(const Model& model, const DiagramDesign& design, const DiagramOptions& options) {
  return with_words([&] { return find_diagram(model, design, options); });
}

}  // namespace slideway::apps
