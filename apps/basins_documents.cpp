#include "apps/basins_documents.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/json_values.hpp"
#include "apps/region_colours.hpp"

namespace slideway::apps {

namespace {

// "orbit of 3 periods", "set", "unstable point"
std::string kind_text(const BasinAttractor& attractor, bool autonomous) {
  std::string text = to_string(attractor.kind);
  if (attractor.kind == AttractorKind::orbit && !autonomous && attractor.rounds > 1)
    text += fmt::format(" of {} rounds", attractor.rounds);
  if (attractor.kind == AttractorKind::orbit && autonomous && attractor.period > 0)
    text += fmt::format(", period {:.6g}", attractor.period);
  if (attractor.kind == AttractorKind::set) text = "set of points or orbits";
  return attractor.stable ? text : "not stable: " + text;
}

std::string place_text(const BasinAttractor& attractor) {
  if (attractor.points.empty()) return "";
  std::vector<std::string> values;
  for (const double value : attractor.points.front()) values.push_back(fmt::format("{:.6g}", value));
  constexpr std::size_t most = 4;
  const bool is_long = values.size() > most;
  values.resize(std::min(values.size(), most));
  return fmt::format("({}{})", fmt::join(values, ", "), is_long ? ", …" : "");
}

std::string percent(double part) { return fmt::format("{:.4g} %", 100 * part); }

std::string law_text(const ScalingLaw& law) {
  return std::isfinite(law.exponent) ? fmt::format("{:.4g} ± {:.1g}", law.exponent, law.error)
                                     : std::string("not known: too few cells, or no boundary");
}

Document json_law(const ScalingLaw& law) {
  return {{"exponent", json_number(law.exponent)},
          {"error", json_number(law.error)},
          {"sizes", law.sizes},
          {"values", law.values}};
}

Document json_attractor(const BasinAttractor& attractor) {
  Document points = Document::array();
  for (const Vector& point : attractor.points)
    points.push_back(std::vector<double>(point.begin(), point.end()));
  return {{"kind", to_string(attractor.kind)},
          {"stable", attractor.stable},
          {"rounds", attractor.rounds},
          {"period", json_number(attractor.period)},
          {"matched", attractor.matched},
          {"signature", attractor.signature},
          {"largest_multiplier", json_number(attractor.multiplier)},
          {"largest_exponent", json_number(attractor.exponent)},
          {"largest_exponent_error", json_number(attractor.exponent_error)},
          {"location", attractor.location},
          {"mode", attractor.mode},
          {"message", attractor.message},
          {"points", points}};
}

Document json_axis(const BasinAxis& axis) {
  return {{"name", axis.name}, {"low", axis.low}, {"high", axis.high}, {"cells", axis.cells}};
}

std::string name_of(const BasinEnd& end, const Basins& basins) {
  if (!end.attractor) return end.name;
  return fmt::format(
      "{}: {}", end.name,
      kind_text(basins.attractors[static_cast<std::size_t>(*end.attractor)], basins.autonomous));
}

}  // namespace

void print_basins(const ShownBasins& shown, const std::vector<std::string>& written, const Screen& screen,
                  std::ostream& out) {
  const Basins& basins = shown.basins;
  fmt::print(out, "{}   {} × {} cells of {} and {}   {} of {:.10g}   rtol {:g}\n\n", shown.model,
             shown.design.across.cells, shown.design.up.cells, shown.design.across.name, shown.design.up.name,
             basins.autonomous ? "steps" : "rounds", basins.step, shown.rtol);
  Table table({{"end"},
               {"what"},
               {"at"},
               {"cells", Align::right, true},
               {"samples", Align::right, true},
               {"error", Align::right, true},
               {"multiplier", Align::right, true},
               {"exponent", Align::right, true}});
  for (const BasinEnd& end : basins.ends) {
    const BasinAttractor* const attractor =
        end.attractor ? &basins.attractors[static_cast<std::size_t>(*end.attractor)] : nullptr;
    const auto number = [&](double BasinAttractor::*value) {
      return attractor != nullptr && std::isfinite(attractor->*value)
                 ? fmt::format("{:.4g}", attractor->*value)
                 : std::string();
    };
    table.add({end.name, attractor != nullptr ? kind_text(*attractor, basins.autonomous) : "",
               attractor != nullptr ? place_text(*attractor) : "", percent(end.fraction),
               end.error > 0 ? percent(end.sampled) : "",
               end.error > 0 ? fmt::format("{:.2g} %", 100 * end.error) : "",
               number(&BasinAttractor::multiplier), number(&BasinAttractor::exponent)},
              attractor != nullptr ? attractor->message : end.message);
  }
  table.print(out, screen.width, screen.colours);
  fmt::print(out, "\nboundary     dimension {}\n", law_text(basins.dimension));
  fmt::print(out, "uncertainty  exponent {}\n", law_text(basins.uncertainty));
  if (basins.compared > 0)
    fmt::print(out, "samples      {} of {} end elsewhere than the middle of their cell\n", basins.differing,
               basins.compared);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_basins_json(const ShownBasins& shown, std::ostream& out) {
  const Basins& basins = shown.basins;
  Document attractors = Document::array();
  for (const BasinAttractor& attractor : basins.attractors) attractors.push_back(json_attractor(attractor));
  Document ends = Document::array();
  for (const BasinEnd& end : basins.ends)
    ends.push_back({{"name", end.name},
                    {"attractor", end.attractor ? Document(*end.attractor) : Document(nullptr)},
                    {"message", end.message},
                    {"cells", end.cells},
                    {"fraction", end.fraction},
                    {"samples", end.samples},
                    {"sampled", end.sampled},
                    {"error", end.error}});
  const Document document = {{"schema", "slideway.basins/1"},
                             {"model", shown.model},
                             {"parameters", json_settings(shown.instance.parameters)},
                             {"states", basins.states},
                             {"rtol", shown.rtol},
                             {"across", json_axis(shown.design.across)},
                             {"up", json_axis(shown.design.up)},
                             {"complete", basins.complete},
                             {"autonomous", basins.autonomous},
                             {"start", basins.start},
                             {"step", basins.step},
                             {"attractors", attractors},
                             {"ends", ends},
                             {"dimension", json_law(basins.dimension)},
                             {"uncertainty", json_law(basins.uncertainty)},
                             {"compared", basins.compared},
                             {"differing", basins.differing},
                             {"cells", basins.plane.colours}};
  out << document.dump(-1, ' ', false, Document::error_handler_t::replace) << '\n';
}

Figure basins_figure(const ShownBasins& shown) {
  const BasinAxis& across = shown.design.across;
  const BasinAxis& up = shown.design.up;
  const Basins& basins = shown.basins;
  Figure figure{.title = fmt::format("{}: basins", shown.model), .panel_size = {720, 600}};
  FigurePanel panel;
  panel.x = {.label = across.name, .range = std::pair{across.low, across.high}};
  panel.y = {.label = up.name, .range = std::pair{up.low, up.high}};
  FigureRaster& raster = panel.raster;
  raster = {.low = {across.low, up.low},
            .high = {across.high, up.high},
            .columns = static_cast<int>(across.cells),
            .rows = static_cast<int>(up.cells),
            .kinds_of_cells = basins.plane.colours};
  std::size_t others = 0;
  for (const BasinEnd& end : basins.ends)
    raster.kinds.push_back({.name = end.cells > 0 ? name_of(end, basins) : "",
                            .colour = end.attractor ? region_colour(static_cast<std::size_t>(*end.attractor))
                                                    : region_grey(others++)});
  const auto place = [&](const std::string& name) {
    return std::find(basins.states.begin(), basins.states.end(), name) - basins.states.begin();
  };
  const Index i = place(across.name), j = place(up.name);
  for (const BasinAttractor& attractor : basins.attractors) {
    const bool is_dense = attractor.rounds == 0 || attractor.kind == AttractorKind::set;
    FigureMarks marks{.shape = attractor.stable ? FigureShape::disc : FigureShape::cross,
                      .size = is_dense ? 0.2 : 0.9};
    for (const Vector& point : attractor.points)
      if (point[i] >= across.low && point[i] <= across.high && point[j] >= up.low && point[j] <= up.high)
        marks.points.push_back({point[i], point[j]});
    if (!marks.points.empty()) panel.marks.push_back(std::move(marks));
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace slideway::apps
