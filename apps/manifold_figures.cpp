#include "apps/manifold_figures.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace slideway::apps {

namespace {

constexpr FigurePoint kBreak = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::quiet_NaN()};

const char* colour_of(ManifoldKind kind) { return kind == ManifoldKind::stable ? "#0072B2" : "#D55E00"; }

FigurePanel plane_panel(const System& system, std::pair<Index, Index> plane) {
  FigurePanel panel;
  panel.x.label = system.state_names()[static_cast<std::size_t>(plane.first)];
  panel.y.label = system.state_names()[static_cast<std::size_t>(plane.second)];
  return panel;
}

FigurePoint in_plane(const Vector& state, std::pair<Index, Index> plane) {
  return {state[plane.first], state[plane.second]};
}

// A piece, and over it what of it slides along one of the surfaces.
void draw_arc(const ManifoldArc& arc, Index surfaces, std::pair<Index, Index> plane, FigurePanel& panel) {
  const bool is_branch = arc.piece == ManifoldPiece::branch;
  FigureCurve curve{.name = std::string(to_string(arc.kind)) + (is_branch ? "" : ", fan"),
                    .colour = colour_of(arc.kind),
                    .width = is_branch ? 1.8 : 0.8};
  if (!is_branch) curve.dash = {6, 3};
  FigureCurve sliding{.name = "sliding", .colour = colour_of(arc.kind), .width = 3.4};
  const auto slides = [&](const ManifoldPoint& point) {
    return point.mode.size() > 0 && point.mode.first(std::min(surfaces, point.mode.size())).codimension() > 0;
  };
  for (std::size_t k = 0; k < arc.points.size(); ++k) {
    const ManifoldPoint& point = arc.points[k];
    const FigurePoint place = in_plane(point.state, plane);
    if (point.after_jump) {
      curve.points.push_back(kBreak);
      sliding.points.push_back(kBreak);
    }
    curve.points.push_back(place);
    // The mode of a point is that of what follows.
    const bool from_before = k > 0 && slides(arc.points[k - 1]) && !point.after_jump;
    if (slides(point) || from_before) sliding.points.push_back(place);
    if (!slides(point)) sliding.points.push_back(kBreak);
  }
  panel.curves.push_back(std::move(curve));
  const bool has_sliding = std::any_of(sliding.points.begin(), sliding.points.end(),
                                       [](const FigurePoint& point) { return point.x == point.x; });
  if (has_sliding) panel.curves.push_back(std::move(sliding));
}

void draw_saddle(const EquilibriumManifolds& saddle, std::pair<Index, Index> plane, FigurePanel& panel) {
  const Index surfaces = saddle.equilibrium.lambda.size();
  for (const ManifoldArc& arc : saddle.arcs) draw_arc(arc, surfaces, plane, panel);
  const bool is_pseudo = saddle.equilibrium.kind == EquilibriumKind::pseudo;
  panel.marks.push_back({.name = is_pseudo ? "pseudo-saddle" : "saddle",
                         .points = {in_plane(saddle.equilibrium.state, plane)},
                         .shape = is_pseudo ? FigureShape::diamond : FigureShape::disc,
                         .size = 1.0});
}

}  // namespace

Figure manifolds_figure(const ShownManifolds& shown, std::pair<Index, Index> plane) {
  Figure figure{.title = fmt::format("{}: manifolds", shown.model), .panel_size = {760, 560}};
  FigurePanel panel = plane_panel(shown.instance.system, plane);
  for (const EquilibriumManifolds& saddle : shown.saddles) draw_saddle(saddle, plane, panel);
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure orbit_manifolds_figure(const ShownOrbitManifolds& shown, std::pair<Index, Index> plane) {
  Figure figure{.title = fmt::format("{}: manifolds of an orbit", shown.model), .panel_size = {760, 560}};
  FigurePanel panel = plane_panel(shown.instance.system, plane);
  for (const OrbitManifoldCurve& curve : shown.manifolds.curves) {
    const bool is_branch = curve.piece == ManifoldPiece::branch;
    FigureCurve drawn{.name = std::string(to_string(curve.kind)) + (is_branch ? "" : ", fan"),
                      .colour = colour_of(curve.kind),
                      .width = is_branch ? 1.4 : 1.0};
    for (const OrbitManifoldPoint& point : curve.points) {
      if (point.after_gap) drawn.points.push_back(kBreak);
      drawn.points.push_back(in_plane(point.state, plane));
    }
    panel.curves.push_back(std::move(drawn));
  }
  panel.marks.push_back({.name = "orbit", .points = {in_plane(shown.orbit.state, plane)}, .size = 1.0});
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure connections_figure(const ShownConnections& shown) {
  static constexpr std::array colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                         "#E69F00", "#56B4E9", "#000000"};
  constexpr std::size_t most = 3;
  const System& system = shown.instance.system;
  Figure figure{.title = fmt::format("{}: connections over {}", shown.model, shown.parameter),
                .panel_size = {760, 360}};
  FigurePanel gaps;
  gaps.x.label = shown.parameter;
  gaps.y.label = "gap";
  for (std::size_t k = 0; k < shown.connections.gaps.size(); ++k) {
    const ConnectionGap& gap = shown.connections.gaps[k];
    FigureCurve curve{.name = fmt::format("{}{} to {}{}", gap.from + 1, gap.from_side > 0 ? "+" : "-",
                                          gap.to + 1, gap.to_side > 0 ? "+" : "-"),
                      .colour = colours[k % colours.size()],
                      .width = 1.4};
    for (std::size_t i = 0; i < gap.gaps.size(); ++i)
      curve.points.push_back({gap.parameters[i], gap.gaps[i]});
    gaps.curves.push_back(std::move(curve));
  }
  gaps.curves.push_back({.points = {{shown.options.first, 0}, {shown.options.last, 0}},
                         .colour = "#444444",
                         .width = 1,
                         .dash = {7, 5}});
  FigureMarks marks{.name = "connection", .size = 0.9};
  for (const Connection& found : shown.connections.found) marks.points.push_back({found.parameter, 0});
  if (!marks.points.empty()) gaps.marks.push_back(std::move(marks));
  figure.panels.push_back(std::move(gaps));
  for (std::size_t k = 0; k < std::min(most, shown.connections.found.size()); ++k) {
    const Connection& found = shown.connections.found[k];
    FigurePanel panel = plane_panel(system, {0, 1});
    panel.row = static_cast<int>(k) + 1;
    panel.note = fmt::format("{} = {:.10g}", shown.parameter, found.parameter);
    draw_saddle(found.unstable, {0, 1}, panel);
    if (found.from != found.to) draw_saddle(found.stable, {0, 1}, panel);
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace slideway::apps
