#include "slideway/io/sweep_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/plot_style.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

bool is_logarithmic(const SweepPictureAxis& axis) { return axis.logarithmic && axis.values.front() > 0; }

// The values of one axis with a margin on both sides, whatever is drawn.
std::pair<double, double> range_of(const SweepPictureAxis& axis) {
  const auto [low, high] = std::minmax_element(axis.values.begin(), axis.values.end());
  if (axis.logarithmic && *low > 0) {
    const double margin = std::max(std::pow(*high / *low, 0.03), 1.001);
    return {*low / margin, *high * margin};
  }
  const double width = *high - *low;
  const double margin = width > 0 ? 0.03 * width : std::max(0.1 * std::abs(*low), 0.5);
  return {*low - margin, *high + margin};
}

FigureMarks failed_marks(const SweepPicture& picture, bool is_map) {
  FigureMarks failed{.name = "stopped early", .shape = FigureShape::cross, .colour = sliding_colour};
  failed.at_lower_edge = !is_map;
  if (is_map) failed.size = picture.points.size() > 2000 ? 0.2 : 0.5;
  for (const SweepPicturePoint& point : picture.points)
    if (!point.succeeded) failed.points.push_back({point.values[0], is_map ? point.values[1] : 0});
  return failed;
}

// The points of the section, those of the way up apart from those of the way down.
void add_section(const SweepPicture& picture, std::size_t state, FigurePanel& panel) {
  FigureMarks up{.name = "at " + picture.section + (picture.has_way_back ? ", up" : ""),
                 .colour = curve_colour};
  FigureMarks down{.name = "down", .shape = FigureShape::circle, .colour = event_colour};
  for (const SweepPicturePoint& point : picture.points) {
    if (state >= point.section.size()) continue;
    for (const double value : point.section[state])
      (point.on_way_back ? down : up).points.push_back({point.values[0], value});
  }
  // Many points make a picture of single dots.
  const std::size_t count = up.points.size() + down.points.size();
  up.size = down.size = count > 4000 ? 0.12 : count > 800 ? 0.25 : 0.5;
  panel.marks.push_back(std::move(up));
  if (picture.has_way_back) panel.marks.push_back(std::move(down));
}

void add_extremes(const SweepPicture& picture, std::size_t state, FigurePanel& panel) {
  FigureCurve low{.name = "least", .colour = curve_colour, .width = 1, .dash = {6, 4}};
  FigureCurve high{.name = "greatest", .colour = event_colour, .width = 1};
  for (const SweepPicturePoint& point : picture.points) {
    low.points.push_back({point.values[0], point.least[state]});
    high.points.push_back({point.values[0], point.greatest[state]});
  }
  // The marks belong to the lines, whose names the legend has already.
  const double size = picture.points.size() > 80 ? 0.35 : 0.8;
  panel.marks.push_back(
      {.points = high.points, .shape = FigureShape::triangle, .size = size, .colour = event_colour});
  panel.marks.push_back(
      {.points = low.points, .shape = FigureShape::triangle_down, .size = size, .colour = curve_colour});
  panel.curves.push_back(std::move(high));
  panel.curves.push_back(std::move(low));
}

// The borders between neighbouring values; in the middle, also on a logarithmic axis.
std::vector<double> borders(const SweepPictureAxis& axis) {
  std::vector<double> values = axis.values;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto middle = [&](double a, double b) {
    return axis.logarithmic && a > 0 ? std::sqrt(a) * std::sqrt(b) : 0.5 * (a + b);
  };
  const auto beyond = [&](double from, double at) {
    return axis.logarithmic && at > 0 ? at * std::sqrt(at / from) : at + 0.5 * (at - from);
  };
  if (values.size() == 1) {
    const double half = std::max(0.1 * std::abs(values[0]), 0.5);
    return axis.logarithmic ? std::vector{values[0] / 2, values[0] * 2}
                            : std::vector{values[0] - half, values[0] + half};
  }
  std::vector<double> result = {beyond(values[1], values[0])};
  for (std::size_t k = 1; k < values.size(); ++k) result.push_back(middle(values[k - 1], values[k]));
  result.push_back(beyond(values[values.size() - 2], values.back()));
  return result;
}

// The two borders about a value; the upper one a little beyond, or the page shines through between neighbours.
std::pair<double, double> sides(const std::vector<double>& edges, double value) {
  const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  const double low = *(above - 1);
  return {low, *above + 0.04 * (*above - low)};
}

void add_map(const SweepPicture& picture, std::size_t state, FigurePanel& panel) {
  const std::vector<double> x = borders(picture.axes[0]);
  const std::vector<double> y = borders(picture.axes[1]);
  panel.x.range = {x.front(), x.back()};
  panel.y.range = {y.front(), y.back()};
  panel.cells = {.label = "greatest " + picture.states[state], .as_dots = picture.is_scattered};
  for (const SweepPicturePoint& point : picture.points) {
    const auto [left, right] = sides(x, point.values[0]);
    const auto [below, above] = sides(y, point.values[1]);
    panel.cells.cells.push_back({.middle = {point.values[0], point.values[1]},
                                 .low = {left, below},
                                 .high = {right, above},
                                 .value = point.greatest[state]});
  }
}

}  // namespace

Figure sweep_figure(const SweepPicture& picture) {
  if (picture.axes.empty() || picture.axes.size() > 2) {
    refuse({.what = "no picture of this sweep can be drawn",
            .where = "the axes of the sweep",
            .expected = "one or two",
            .got = std::to_string(picture.axes.size())});
  }
  const bool is_map = picture.axes.size() == 2;
  const int panels = static_cast<int>(picture.states.size());
  const int columns = is_map ? std::min(panels, 2) : 1;
  Figure figure{.title = picture.title, .panel_size = is_map ? std::pair{560, 400} : std::pair{860, 260}};
  const FigureMarks failed = failed_marks(picture, is_map);
  for (int k = 0; k < panels; ++k) {
    const auto state = static_cast<std::size_t>(k);
    FigurePanel panel{.column = k % columns, .row = k / columns};
    panel.x = {.label = picture.axes[0].name,
               .range = range_of(picture.axes[0]),
               .is_logarithmic = is_logarithmic(picture.axes[0])};
    panel.y = {.label = is_map ? picture.axes[1].name : picture.states[state],
               .is_logarithmic = is_map && is_logarithmic(picture.axes[1])};
    if (is_map)
      add_map(picture, state, panel);
    else if (picture.section.empty())
      add_extremes(picture, state, panel);
    else
      add_section(picture, state, panel);
    if (!failed.points.empty()) panel.marks.push_back(failed);
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace slideway
