#include "apps/diagram_documents.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/branch_figures.hpp"
#include "apps/json_values.hpp"
#include "apps/region_colours.hpp"
#include "slideway/io/csv.hpp"

namespace slideway::apps {

namespace {

constexpr std::size_t most_kinds_named = 12;
constexpr std::size_t longest_name = 64;
constexpr double lighter = 0.55;  // of white, in the second colour of a cell with two attractors of one kind

// "orbit of 3 rounds: 2 × impact(stop) crossing(belt)": events that come again in the same order are told once, as "2 × [a b]".
std::string short_name(const DiagramKind& kind) {
  if (kind.signature.empty()) return kind.name;
  const std::vector<std::string> events = events_in(kind.signature);
  std::string name = kind.name.substr(0, kind.name.size() - kind.signature.size());
  for (std::size_t k = 0; k < events.size();) {
    // The block that covers most of what follows; of equal ones the shortest.
    std::size_t length = 1, times = 1;
    for (std::size_t block = 1; k + 2 * block <= events.size(); ++block) {
      std::size_t repeats = 1;
      const auto begin = events.begin() + static_cast<std::ptrdiff_t>(k);
      const auto size = static_cast<std::ptrdiff_t>(block);
      while (k + (repeats + 1) * block <= events.size() &&
             std::equal(begin, begin + size, begin + size * static_cast<std::ptrdiff_t>(repeats)))
        ++repeats;
      if (repeats > 1 && block * repeats > length * times) {
        length = block;
        times = repeats;
      }
    }
    if (k > 0) name += ' ';
    if (times > 1) name += std::to_string(times) + (length > 1 ? " × [" : " × ");
    for (std::size_t i = 0; i < length; ++i) name += (i > 0 ? " " : "") + events[k + i];
    if (times > 1 && length > 1) name += ']';
    k += length * times;
  }
  return name;
}

std::string legend_name(const DiagramKind& kind) {
  const std::string name = short_name(kind);
  if (name.size() <= longest_name) return name;
  // A letter of several bytes is not cut.
  std::size_t end = longest_name;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "…";
}

Document json_axis(const DiagramAxis& axis) {
  return {{"name", axis.name}, {"low", axis.low}, {"high", axis.high}, {"cells", axis.cells}};
}

Document json_kind(const DiagramKind& kind) {
  return {{"name", kind.name},
          {"attractor", kind.is_attractor ? Document(to_string(kind.kind)) : Document(nullptr)},
          {"slides", kind.slides},
          {"rounds", kind.rounds},
          {"signature", kind.signature},
          {"cells", kind.cells}};
}

Document json_curve(const DiagramCurve& curve) {
  Document points = Document::array(), special = Document::array();
  for (const DiagramCurvePoint& point : curve.points)
    points.push_back({{"first", point.first}, {"second", point.second}, {"kind", point.kind}});
  for (const DiagramSpecialPoint& point : curve.special)
    special.push_back(
        {{"name", point.name}, {"first", point.first}, {"second", point.second}, {"reason", point.reason}});
  return {{"of", curve.of_equilibria ? "equilibria" : "orbits"},
          {"bifurcation", curve.kind},
          {"rounds", curve.rounds},
          {"before", curve.before},
          {"after", curve.after},
          {"reason", curve.reason},
          {"closed", curve.closed},
          {"message", curve.message},
          {"points", points},
          {"special", special}};
}

std::vector<int> kinds_of(const std::vector<DiagramEnd>& ends) {
  std::vector<int> kinds;
  for (const DiagramEnd& end : ends) kinds.push_back(end.kind);
  return kinds;
}

std::string mixed_with_white(const std::string& colour) {
  std::string result = "#";
  for (std::size_t k = 1; k + 1 < colour.size(); k += 2) {
    const int level = std::stoi(colour.substr(k, 2), nullptr, 16);
    result += fmt::format("{:02X}", static_cast<int>(std::lround(level + lighter * (255 - level))));
  }
  return result;
}

// Chaos is dark and what is no attractor is light, so that curves are seen on both.
std::vector<FigureKind> looks_of(const std::vector<DiagramKind>& kinds) {
  std::vector<FigureKind> looks;
  std::size_t colours = 0, others = 3;
  bool has_rest = false;
  for (const DiagramKind& kind : kinds) {
    FigureKind look{.name = legend_name(kind)};
    if (!kind.is_attractor) {
      look.colour = region_grey(others++);
    } else if (kind.kind == AttractorKind::chaotic) {
      look.colour = "#555555";
    } else if (kind.kind == AttractorKind::quasiperiodic) {
      look.colour = "#B39DDB";
    } else if (kind.kind == AttractorKind::unresolved) {
      look.colour = "#9E9E9E";
    } else if (colours < most_kinds_named) {
      look.colour = region_colour(colours++);
    } else {
      look.name = has_rest ? "" : "other orbits";
      look.colour = "#D7CCC8";
      has_rest = true;
    }
    looks.push_back(std::move(look));
  }
  return looks;
}

}  // namespace

void print_diagram(const ShownDiagram& shown, const std::vector<std::string>& written, const Screen& screen,
                   std::ostream& out) {
  const Diagram& diagram = shown.diagram;
  fmt::print(out, "{}   {} × {} cells of {} and {}   rtol {:g}\n\n", shown.model, shown.design.across.cells,
             shown.design.up.cells, shown.design.across.name, shown.design.up.name, shown.rtol);
  Table kinds({{"cells", Align::right, true}, {"what"}});
  const auto all = static_cast<double>(std::max<Index>(diagram.done, 1));
  for (const DiagramKind& kind : diagram.kinds)
    kinds.add({fmt::format("{:.2f} %", 100 * static_cast<double>(kind.cells) / all), short_name(kind)}, "");
  kinds.print(out, screen.width, screen.colours);
  const auto coexisting = std::count(diagram.coexisting.begin(), diagram.coexisting.end(), 1);
  fmt::print(out, "\n{} of {} cells have different attractors in both directions\n", coexisting,
             diagram.coexisting.size());
  if (!diagram.curves.empty()) {
    fmt::print(out, "\n");
    const std::string &first = shown.design.across.name, &second = shown.design.up.name;
    Table curves({{"curve", Align::right, true}, {"kind"}, {"from"}, {"to"}, {"points", Align::right, true}});
    for (std::size_t k = 0; k < diagram.curves.size(); ++k) {
      const DiagramCurve& curve = diagram.curves[k];
      const auto place = [](const DiagramCurvePoint& point) {
        return fmt::format("({:.6g}, {:.6g})", point.first, point.second);
      };
      std::string kind = curve.kind + (curve.of_equilibria ? " of equilibria" : "");
      if (curve.rounds > 1) kind += fmt::format(" of {} rounds", curve.rounds);
      curves.add({std::to_string(k + 1), kind, place(curve.points.front()),
                  curve.closed ? "closed" : place(curve.points.back()), std::to_string(curve.points.size())},
                 curve.message);
      for (const DiagramSpecialPoint& special : curve.special)
        curves.add({"", special.name, fmt::format("({:.6g}, {:.6g})", special.first, special.second), "", ""},
                   special.reason);
    }
    curves.print(out, screen.width, screen.colours);
    fmt::print(out, "\nplaces       ({}, {})\n", first, second);
  }
  if (diagram.borders > 0)
    fmt::print(out, "borders      curves pass at {} of {} borders between cells\n", diagram.explained,
               diagram.borders);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_diagram_json(const ShownDiagram& shown, std::ostream& out) {
  const Diagram& diagram = shown.diagram;
  Document kinds = Document::array(), curves = Document::array(), meetings = Document::array();
  for (const DiagramKind& kind : diagram.kinds) kinds.push_back(json_kind(kind));
  for (const DiagramCurve& curve : diagram.curves) curves.push_back(json_curve(curve));
  for (const DiagramMeeting& meeting : diagram.meetings)
    meetings.push_back({{"one", meeting.one},
                        {"other", meeting.other},
                        {"first", meeting.first},
                        {"second", meeting.second}});
  const Document document = {
      {"schema", "slideway.diagram/1"},
      {"model", shown.model},
      {"parameters", json_settings(shown.instance.parameters)},
      {"states", diagram.states},
      {"rtol", shown.rtol},
      {"across", json_axis(shown.design.across)},
      {"up", json_axis(shown.design.up)},
      {"complete", diagram.complete},
      {"autonomous", diagram.autonomous},
      {"kinds", kinds},
      {"forward", kinds_of(diagram.forward)},
      {"backward", kinds_of(diagram.backward)},
      {"coexisting", std::vector<int>(diagram.coexisting.begin(), diagram.coexisting.end())},
      {"curves", curves},
      {"meetings", meetings},
      {"borders", diagram.borders},
      {"explained", diagram.explained}};
  out << document.dump(-1, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_diagram_curves(const ShownDiagram& shown, std::ostream& out) {
  fmt::print(out, "curve,of,bifurcation,special,{},{},rounds\n", csv_cell(shown.design.across.name),
             csv_cell(shown.design.up.name));
  for (std::size_t k = 0; k < shown.diagram.curves.size(); ++k) {
    const DiagramCurve& curve = shown.diagram.curves[k];
    const char* const of = curve.of_equilibria ? "equilibria" : "orbits";
    for (const DiagramCurvePoint& point : curve.points)
      fmt::print(out, "{},{},{},,{},{},{}\n", k + 1, of, point.kind, point.first, point.second, curve.rounds);
    for (const DiagramSpecialPoint& point : curve.special)
      fmt::print(out, "{},{},{},{},{},{},{}\n", k + 1, of, curve.kind, point.name, point.first, point.second,
                 curve.rounds);
  }
}

Figure diagram_figure(const ShownDiagram& shown) {
  const DiagramAxis& across = shown.design.across;
  const DiagramAxis& up = shown.design.up;
  const Diagram& diagram = shown.diagram;
  Figure figure{.title = fmt::format("{}: attractors", shown.model), .panel_size = {760, 620}};
  FigurePanel panel;
  panel.x = {.label = across.name, .range = std::pair{across.low, across.high}};
  panel.y = {.label = up.name, .range = std::pair{up.low, up.high}};
  // Each cell is drawn as two by two: those of one diagonal are of the one direction.
  FigureRaster& raster = panel.raster;
  raster = {.low = {across.low, up.low},
            .high = {across.high, up.high},
            .columns = static_cast<int>(2 * across.cells),
            .rows = static_cast<int>(2 * up.cells),
            .kinds = looks_of(diagram.kinds)};
  const std::size_t kinds = raster.kinds.size();
  for (std::size_t k = 0; k < kinds; ++k)
    raster.kinds.push_back({.colour = mixed_with_white(raster.kinds[k].colour)});
  for (Index j = 0; j < 2 * up.cells; ++j) {
    for (Index i = 0; i < 2 * across.cells; ++i) {
      const auto cell = static_cast<std::size_t>(j / 2 * across.cells + i / 2);
      const bool is_second = (i + j) % 2 != 0;
      int kind = (is_second ? diagram.backward : diagram.forward)[cell].kind;
      const bool is_of_one_kind = diagram.forward[cell].kind == diagram.backward[cell].kind;
      if (kind >= 0 && is_second && is_of_one_kind && diagram.coexisting[cell] != 0)
        kind += static_cast<int>(kinds);
      raster.kinds_of_cells.push_back(kind);
    }
  }
  add_curves(diagram.curves, panel);
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace slideway::apps
