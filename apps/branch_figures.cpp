#include "apps/branch_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace slideway::apps {

namespace {

constexpr Index most_states_drawn = 4;
constexpr FigurePoint gap = {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::quiet_NaN()};

enum class Line { stable, unstable, unknown, virtual_one };

constexpr std::array all_lines = {Line::stable, Line::unstable, Line::unknown, Line::virtual_one};

FigureCurve empty_curve(Line line) {
  switch (line) {
    case Line::stable: return {.name = "stable"};
    case Line::unstable: return {.name = "not stable", .colour = "#D55E00", .width = 1.4, .dash = {8, 5}};
    case Line::unknown:
      return {.name = "stability not known", .colour = "#009E73", .width = 1.4, .dash = {9, 3, 2, 3}};
    case Line::virtual_one: break;
  }
  return {.name = "virtual", .colour = "#777777", .width = 1.2, .dash = {2, 4}};
}

// A branch in one panel: a curve for each kind of line. Where the kind changes both of them meet at the point between.
class BranchLines {
 public:
  void add(Line line, const FigurePoint& point) {
    if (last_ && last_->first != line) {
      of(line).push_back(gap);
      of(line).push_back(last_->second);
    }
    of(line).push_back(point);
    last_ = {line, point};
  }
  void end_branch() {
    for (std::vector<FigurePoint>& points : points_) points.push_back(gap);
    last_.reset();
  }
  void move_to(FigurePanel& panel) {
    for (const Line line : all_lines) {
      FigureCurve curve = empty_curve(line);
      curve.points = std::move(of(line));
      const bool is_drawn = std::any_of(curve.points.begin(), curve.points.end(),
                                        [](const FigurePoint& point) { return std::isfinite(point.y); });
      if (is_drawn) panel.curves.push_back(std::move(curve));
    }
  }

 private:
  std::vector<FigurePoint>& of(Line line) { return points_[static_cast<std::size_t>(line)]; }

  std::array<std::vector<FigurePoint>, all_lines.size()> points_ = {};
  std::optional<std::pair<Line, FigurePoint>> last_ = {};
};

FigureMarks bifurcation_marks() { return {.name = "bifurcation", .size = 0.9}; }

void mark(FigureMarks& marks, const FigurePoint& point, std::string name) {
  marks.points.push_back(point);
  marks.notes.push_back(std::move(name));
}

Line line_of(const PeriodicOrbit& orbit) {
  if (!orbit.admissible) return Line::virtual_one;
  return orbit.stability == OrbitStability::stable ? Line::stable : Line::unstable;
}

Line line_of(const Equilibrium& equilibrium) {
  if (!equilibrium.admissible) return Line::virtual_one;
  if (!equilibrium.stability_known) return Line::unknown;
  return equilibrium.stability == OrbitStability::stable ? Line::stable : Line::unstable;
}

// The least and the greatest value of each state on the orbit, at its steps and between them.
std::pair<Vector, Vector> extremes(const PeriodicOrbit& orbit) {
  constexpr int parts = 8;  // of a step, within which a solution turns once at most
  Vector low = orbit.state, high = orbit.state, x(orbit.state.size());
  const Trajectory& trajectory = orbit.solution.trajectory;
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
    const std::vector<double> times = trajectory.step_times(k);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      for (int part = 0; part <= parts; ++part) {
        trajectory.evaluate(k, times[i] + (times[i + 1] - times[i]) * part / parts, x);
        low = low.cwiseMin(x);
        high = high.cwiseMax(x);
      }
    }
  }
  return {low, high};
}

FigurePanel panel_of(int row, const std::string& across, const std::string& up) {
  FigurePanel panel{.row = row};
  panel.x.label = across;
  panel.y.label = up;
  return panel;
}

}  // namespace

Figure orbit_branch_figure(const ShownBranch& shown) {
  const std::vector<std::string>& names = shown.instance.system.state_names();
  const Index states = std::min(shown.instance.system.states(), most_states_drawn);
  std::vector<std::pair<Vector, Vector>> sizes;
  for (const BranchPoint& point : shown.branch.points) sizes.push_back(extremes(point.orbit));
  std::vector<Vector> greatest_at_bifurcations;
  for (const BranchBifurcation& found : shown.branch.bifurcations)
    greatest_at_bifurcations.push_back(extremes(found.orbit).second);
  Figure figure{.title = fmt::format("{}: orbits over {}", shown.model, shown.parameter)};
  for (Index state = 0; state < states; ++state) {
    FigurePanel panel =
        panel_of(static_cast<int>(state), shown.parameter, names[static_cast<std::size_t>(state)]);
    BranchLines lines;
    for (const bool is_greatest : {true, false}) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const BranchPoint& point = shown.branch.points[k];
        const auto& [low, high] = sizes[k];
        lines.add(line_of(point.orbit), {point.parameter, is_greatest ? high[state] : low[state]});
      }
      lines.end_branch();
    }
    lines.move_to(panel);
    FigureMarks marks = bifurcation_marks();
    for (std::size_t k = 0; k < shown.branch.bifurcations.size(); ++k) {
      const BranchBifurcation& found = shown.branch.bifurcations[k];
      mark(marks, {found.parameter, greatest_at_bifurcations[k][state]}, to_string(found.kind));
    }
    panel.marks.push_back(std::move(marks));
    figure.panels.push_back(std::move(panel));
  }
  FigurePanel panel = panel_of(static_cast<int>(states), shown.parameter, "period");
  BranchLines lines;
  for (const BranchPoint& point : shown.branch.points)
    lines.add(line_of(point.orbit), {point.parameter, point.orbit.period});
  lines.move_to(panel);
  FigureMarks marks = bifurcation_marks();
  for (const BranchBifurcation& found : shown.branch.bifurcations)
    mark(marks, {found.parameter, found.orbit.period}, to_string(found.kind));
  panel.marks.push_back(std::move(marks));
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure equilibrium_branches_figure(const ShownEquilibriumBranches& shown) {
  const std::vector<std::string>& names = shown.instance.system.state_names();
  Figure figure{.title = fmt::format("{}: equilibria over {}", shown.model, shown.parameter)};
  for (Index state = 0; state < std::min(shown.instance.system.states(), most_states_drawn); ++state) {
    FigurePanel panel =
        panel_of(static_cast<int>(state), shown.parameter, names[static_cast<std::size_t>(state)]);
    BranchLines lines;
    FigureMarks marks = bifurcation_marks();
    for (const EquilibriumBranch& branch : shown.branches) {
      for (const EquilibriumPoint& point : branch.points)
        lines.add(line_of(point.equilibrium), {point.parameter, point.equilibrium.state[state]});
      lines.end_branch();
      for (const EquilibriumBranchBifurcation& found : branch.bifurcations)
        mark(marks, {found.parameter, found.equilibrium.state[state]}, to_string(found.kind));
    }
    lines.move_to(panel);
    panel.marks.push_back(std::move(marks));
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

namespace {

FigureCurve look_of(EquilibriumBifurcation kind, bool neutral_saddle, BoundaryEquilibriumKind boundary) {
  switch (kind) {
    case EquilibriumBifurcation::fold: return {.name = "fold"};
    case EquilibriumBifurcation::hopf:
      if (neutral_saddle)
        return {.name = "neutral saddle", .colour = "#777777", .width = 1.2, .dash = {2, 4}};
      return {.name = "Hopf", .colour = "#D55E00", .dash = {8, 5}};
    case EquilibriumBifurcation::boundary_equilibrium:
      if (boundary == BoundaryEquilibriumKind::persistence)
        return {.name = "boundary, persistence", .colour = "#009E73"};
      if (boundary == BoundaryEquilibriumKind::nonsmooth_fold)
        return {.name = "boundary, non-smooth fold", .colour = "#CC79A7", .dash = {9, 3, 2, 3}};
      return {.name = "boundary", .colour = "#444444", .dash = {6, 4}};
    case EquilibriumBifurcation::branch_point: break;
  }
  return {.name = "branch point", .colour = "#56B4E9"};
}

FigureCurve look_of(Bifurcation kind) {
  switch (kind) {
    case Bifurcation::fold: return {.name = "fold"};
    case Bifurcation::period_doubling: return {.name = "period doubling", .colour = "#D55E00"};
    case Bifurcation::torus: return {.name = "torus", .colour = "#009E73"};
    case Bifurcation::grazing: return {.name = "grazing", .colour = "#000000", .dash = {8, 5}};
    case Bifurcation::grazing_sliding:
      return {.name = "grazing-sliding", .colour = "#CC79A7", .dash = {8, 5}};
    case Bifurcation::crossing_sliding:
      return {.name = "crossing-sliding", .colour = "#E69F00", .dash = {9, 3, 2, 3}};
    case Bifurcation::switching_sliding:
      return {.name = "switching-sliding", .colour = "#56B4E9", .dash = {9, 3, 2, 3}};
    case Bifurcation::adding_sliding: return {.name = "adding-sliding", .colour = "#777777", .dash = {3, 3}};
    case Bifurcation::branch_point:
    case Bifurcation::boundary_equilibrium:
    case Bifurcation::other: break;
  }
  return {.name = to_string(kind), .colour = "#444444", .dash = {2, 4}};
}

FigureCurve curve_of(const EquilibriumCurve& curve, const EquilibriumCurvePoint& point) {
  return look_of(curve.kind, point.neutral_saddle, point.boundary);
}

FigureCurve curve_of(const OrbitCurve&, const OrbitCurvePoint& point) { return look_of(point.kind); }

FigureCurve curve_of(const DiagramCurve& curve, const DiagramCurvePoint& point) {
  if (!curve.of_equilibria) {
    for (const Bifurcation kind :
         {Bifurcation::fold, Bifurcation::period_doubling, Bifurcation::torus, Bifurcation::grazing,
          Bifurcation::grazing_sliding, Bifurcation::crossing_sliding, Bifurcation::switching_sliding,
          Bifurcation::adding_sliding})
      if (point.kind == to_string(kind)) return look_of(kind);
    return look_of(Bifurcation::other);
  }
  const bool is_neutral = point.kind == "neutral saddle";
  if (curve.kind == to_string(EquilibriumBifurcation::fold))
    return look_of(EquilibriumBifurcation::fold, false, BoundaryEquilibriumKind::alone);
  if (curve.kind == to_string(EquilibriumBifurcation::hopf))
    return look_of(EquilibriumBifurcation::hopf, is_neutral, BoundaryEquilibriumKind::alone);
  for (const BoundaryEquilibriumKind kind :
       {BoundaryEquilibriumKind::persistence, BoundaryEquilibriumKind::nonsmooth_fold})
    if (point.kind.ends_with(to_string(kind)))
      return look_of(EquilibriumBifurcation::boundary_equilibrium, false, kind);
  return look_of(EquilibriumBifurcation::boundary_equilibrium, false, BoundaryEquilibriumKind::alone);
}

std::string name_of(const EquilibriumSpecialPoint& special) { return to_string(special.kind); }
std::string name_of(const OrbitSpecialPoint& special) { return special.name; }
std::string name_of(const DiagramSpecialPoint& special) { return special.name; }

// The curves of one kind of problem in one panel; a curve whose look changes goes on from the same point.
template <class Curves>
void add_plane_curves(const Curves& curves, FigurePanel& panel) {
  FigureMarks marks{.name = "codimension two", .size = 0.9};
  for (const auto& curve : curves) {
    FigureCurve part;
    for (const auto& point : curve.points) {
      const FigurePoint place{point.first, point.second};
      FigureCurve look = curve_of(curve, point);
      if (part.points.empty() || look.name != part.name) {
        if (!part.points.empty()) {
          part.points.push_back(place);
          panel.curves.push_back(std::move(part));
        }
        part = std::move(look);
      }
      part.points.push_back(place);
    }
    if (!part.points.empty()) panel.curves.push_back(std::move(part));
    for (const auto& special : curve.special) mark(marks, {special.first, special.second}, name_of(special));
  }
  if (!marks.points.empty()) panel.marks.push_back(std::move(marks));
}

template <class Curves>
Figure plane_figure(std::string title, const std::string& first, const std::string& second,
                    const Curves& curves) {
  Figure figure{.title = std::move(title), .panel_size = {760, 520}};
  FigurePanel panel = panel_of(0, first, second);
  add_plane_curves(curves, panel);
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace

void add_curves(const std::vector<DiagramCurve>& curves, FigurePanel& panel) {
  add_plane_curves(curves, panel);
}

Figure equilibrium_curves_figure(const ShownEquilibriumCurves& shown) {
  return plane_figure(fmt::format("{}: equilibria over {} and {}", shown.model, shown.first, shown.second),
                      shown.first, shown.second, shown.curves);
}

Figure orbit_curves_figure(const ShownOrbitCurves& shown) {
  return plane_figure(fmt::format("{}: orbits over {} and {}", shown.model, shown.first, shown.second),
                      shown.first, shown.second, shown.found.curves);
}

Figure lyapunov_figure(const ShownExponents& shown) {
  static constexpr std::array colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                         "#E69F00", "#56B4E9", "#000000"};
  const LyapunovExponents& found = shown.exponents;
  Figure figure{.title = fmt::format("{}: Lyapunov exponents", shown.model), .panel_size = {860, 420}};
  FigurePanel panel = panel_of(0, "t", "estimate, per unit of t");
  const Index count = std::min<Index>(found.values.size(), 12);
  for (Index i = 0; i < count; ++i) {
    FigureCurve curve{.colour = colours[static_cast<std::size_t>(i) % colours.size()], .width = 1.4};
    if (std::isfinite(found.values[i])) curve.name = fmt::format("{:.4g}", found.values[i]);
    for (std::size_t k = 0; k < found.times.size(); ++k)
      curve.points.push_back({found.times[k], found.running[k][i]});
    panel.curves.push_back(std::move(curve));
  }
  if (!found.times.empty())
    panel.curves.push_back({.points = {{found.times.front(), 0}, {found.times.back(), 0}},
                            .colour = "#444444",
                            .width = 1,
                            .dash = {7, 5}});
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace slideway::apps
