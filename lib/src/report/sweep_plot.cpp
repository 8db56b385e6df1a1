#include "slideway/io/sweep_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "report/gnuplot_script.hpp"
#include "report/plot_curves.hpp"
#include "report/plot_lettering.hpp"
#include "report/plot_style.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// Viridis: its lightness grows evenly.
constexpr const char* palette =
    "set palette defined (0 '#440154', 1 '#482878', 2 '#3E4A89', 3 '#31688E', 4 '#26828E', 5 '#1F9E89', "
    "6 '#35B779', 7 '#6DCD59', 8 '#B4DE2C', 9 '#FDE725')\n";

class SweepScript : public GnuplotScript {
 public:
  SweepScript(const SweepPicture& picture, PictureFormat format) : picture_(picture), words_(format, {}) {
    if (picture.axes.empty() || picture.axes.size() > 2) {
      refuse({.what = "no picture of this sweep can be drawn",
              .where = "the axes of the sweep",
              .expected = "one or two",
              .got = std::to_string(picture.axes.size())});
    }
    const bool map = picture.axes.size() == 2;
    const auto panels = static_cast<int>(picture.states.size());
    const int columns = map ? std::min(panels, 2) : 1;
    const int rows = (panels + columns - 1) / columns;
    const int width = map ? 120 + 500 * columns : 860;
    const int height = map ? 70 + 400 * rows : 110 + 260 * rows;
    text_ = picture_settings(format, width, height);
    header_ = 44.0 / height;
    append("set multiplot\nunset key\n");
    append("set label {} at screen {:.4f},{:.4f} left\n", words_.bold(picture.title), 70.0 / width,
           1 - 0.5 * header_);
    legend(width, map);
    for (int panel = 0; panel < panels; ++panel) {
      const int row = panel / columns;
      const int column = panel % columns;
      const double cell_width = 1.0 / columns;
      const double cell_height = (1 - header_) / rows;
      const double left = column * cell_width + 74.0 / width;
      const double right = (column + 1) * cell_width - (map ? 96.0 : 24.0) / width;
      const double top = 1 - header_ - row * cell_height - 8.0 / height;
      const double bottom = 1 - header_ - (row + 1) * cell_height + 56.0 / height;
      place({left, right, bottom, top});
      append("set xlabel {} offset 0,0.3\n", words_.verbatim(picture.axes[0].name));
      if (map)
        map_panel(static_cast<std::size_t>(panel));
      else
        bifurcation_panel(static_cast<std::size_t>(panel));
      append("unset label\nunset object\nunset arrow\n");
    }
    append("unset multiplot\n");
  }

 private:
  bool any_failed() const {
    return std::any_of(picture_.points.begin(), picture_.points.end(),
                       [](const SweepPicturePoint& point) { return !point.succeeded; });
  }

  // legend() stands at the upper right, from right to left by the estimated width of the text.
  void legend(int width, bool map) {
    double x = width - 24.0;
    const double y = 1 - 0.5 * header_;
    const auto entry = [&](const std::string& title, int type, double size, const char* colour) {
      x -= 6.6 * static_cast<double>(title.size());
      append("set label {} at screen {:.4f},{:.4f} left\n", words_.verbatim(title), x / width, y);
      x -= 12;
      append(
          "set label '' at screen {:.4f},{:.4f} point pointtype {} pointsize {} linewidth 1.2 linecolor rgb "
          "'{}'\n",
          x / width, y, type, size, colour);
      x -= 22;
    };
    if (any_failed()) entry("stopped early", 2, 0.8, sliding_colour);
    if (map) return;
    if (!picture_.section.empty()) {
      if (picture_.has_way_back) entry("down", 6, 0.5, event_colour);
      entry("at " + picture_.section + (picture_.has_way_back ? ", up" : ""), 7, 0.5, curve_colour);
    } else {
      entry("least", 10, 0.8, curve_colour);
      entry("greatest", 8, 0.8, event_colour);
    }
  }

  // The values of one axis with a margin on both sides.
  static std::string axis_range(const SweepPictureAxis& axis) {
    const auto [low, high] = std::minmax_element(axis.values.begin(), axis.values.end());
    if (axis.logarithmic && *low > 0) {
      const double margin = std::max(std::pow(*high / *low, 0.03), 1.001);
      return fmt::format("[{:.10g}:{:.10g}]", *low / margin, *high * margin);
    }
    const double width = *high - *low;
    const double margin = width > 0 ? 0.03 * width : std::max(0.1 * std::abs(*low), 0.5);
    return fmt::format("[{:.10g}:{:.10g}]", *low - margin, *high + margin);
  }

  void scales() {
    append("unset logscale\nset xrange {}\n", axis_range(picture_.axes[0]));
    if (is_logarithmic(0)) append("set logscale x\n");
    if (picture_.axes.size() == 2 && is_logarithmic(1)) append("set logscale y\n");
  }

  bool is_logarithmic(std::size_t axis) const {
    return picture_.axes[axis].logarithmic && picture_.axes[axis].values.front() > 0;
  }

  void block(const std::string& name, const std::string& rows) { append("${} << EOD\n{}EOD\n", name, rows); }

  void bifurcation_panel(std::size_t state) {
    scales();
    append("set autoscale y\nset offsets graph 0, 0, 0.05, 0.05\nset ylabel {} offset 0.5,0\n",
           words_.verbatim(picture_.states[state]));
    std::string dots, dots_back, low, high, failed;
    std::size_t count = 0;
    Range drawn{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    const auto draw = [&](std::string& points, double p, double value) {
      if (!std::isfinite(value)) return;
      drawn = {std::min(drawn.low, value), std::max(drawn.high, value)};
      points += fmt::format("{:.10g} {:.15g}\n", p, value);
    };
    for (const SweepPicturePoint& point : picture_.points) {
      const double p = point.values[0];
      if (!point.succeeded) failed += fmt::format("{:.10g}\n", p);
      if (!picture_.section.empty()) {
        if (state >= point.section.size()) continue;
        std::string& points = point.on_way_back ? dots_back : dots;
        for (const double value : point.section[state]) draw(points, p, value);
        count += point.section[state].size();
        continue;
      }
      draw(low, p, point.least[state]);
      draw(high, p, point.greatest[state]);
    }
    // gnuplot chooses the range of what varies by more than rounding.
    if (drawn.width() >= 0 && drawn.width() <= least_resolved_part * size_of(drawn)) {
      const Range range = padded(drawn);
      append("unset offsets\nset yrange [{:.15g}:{:.15g}]\n", range.low, range.high);
    }
    std::vector<std::string> parts;
    // Many points make a picture of single dots.
    const double size = count > 4000 ? 0.12 : count > 800 ? 0.25 : 0.5;
    if (!dots.empty()) {
      block("dots", dots);
      parts.push_back(fmt::format("$dots using 1:2 with points pointtype 7 pointsize {} linecolor rgb '{}'",
                                  size, curve_colour));
    }
    if (!dots_back.empty()) {
      block("dots_back", dots_back);
      parts.push_back(
          fmt::format("$dots_back using 1:2 with points pointtype 6 pointsize {} linecolor rgb '{}'", size,
                      event_colour));
    }
    const double marker = picture_.points.size() > 80 ? 0.35 : 0.8;
    if (!high.empty()) {
      block("high", high);
      parts.push_back(fmt::format(
          "$high using 1:2 with linespoints pointtype 8 pointsize {} linewidth 1 linecolor rgb '{}'", marker,
          event_colour));
    }
    if (!low.empty()) {
      block("low", low);
      parts.push_back(
          fmt::format("$low using 1:2 with linespoints pointtype 10 pointsize {} linewidth 1 dashtype (6,4) "
                      "linecolor rgb '{}'",
                      marker, curve_colour));
    }
    if (parts.empty()) parts.push_back("1/0 notitle");
    if (!failed.empty()) {
      // These points lie on the lower edge, whatever the values are.
      for (const SweepPicturePoint& point : picture_.points) {
        if (!point.succeeded)
          append(
              "set label '' at first {:.10g}, graph 0 point pointtype 2 pointsize 0.8 linewidth 1.2 "
              "linecolor rgb '{}' front\n",
              point.values[0], sliding_colour);
      }
    }
    if (parts.front() == "1/0 notitle") append("set yrange [0:1]\n");
    append("plot {}\n", fmt::join(parts, ", \\\n  "));
  }

  // The borders between neighbouring values; in the middle, also on a logarithmic axis.
  static std::vector<double> borders(const SweepPictureAxis& axis) {
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

  static std::pair<double, double> cell(const std::vector<double>& edges, double value) {
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
    return {*(above - 1), *above};
  }

  static std::pair<double, double> overlapping(std::pair<double, double> sides) {
    return {sides.first, sides.second + 0.04 * (sides.second - sides.first)};
  }

  void map_panel(std::size_t state) {
    const std::vector<double> x = borders(picture_.axes[0]);
    const std::vector<double> y = borders(picture_.axes[1]);
    scales();
    text_ += palette;
    append("set xrange [{:.10g}:{:.10g}]\nset yrange [{:.10g}:{:.10g}]\nunset offsets\n", x.front(), x.back(),
           y.front(), y.back());
    append("set ylabel {} offset 0.5,0\nset cblabel {} offset 0.5,0\n",
           words_.verbatim(picture_.axes[1].name), words_.verbatim("greatest " + picture_.states[state]));
    std::string cells, failed;
    double low = 1e300, high = -1e300;
    for (const SweepPicturePoint& point : picture_.points) {
      if (!point.succeeded) failed += fmt::format("{:.10g} {:.10g}\n", point.values[0], point.values[1]);
      const double value = point.greatest[state];
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      // A little beyond the border, or the page shines through between neighbours.
      const auto [left, right] = overlapping(cell(x, point.values[0]));
      const auto [below, above] = overlapping(cell(y, point.values[1]));
      cells += fmt::format("{:.10g} {:.10g} {:.10g} {:.10g} {:.10g} {:.10g} {:.8g}\n", point.values[0],
                           point.values[1], left, right, below, above, value);
    }
    std::vector<std::string> parts;
    if (!cells.empty()) {
      if (high - low <= least_resolved_part * size_of({low, high})) {
        const Range range = padded({low, high});
        low = range.low;
        high = range.high;
      }
      append("set cbrange [{:.10g}:{:.10g}]\n", low, high);
      block("cells", cells);
      parts.push_back(
          picture_.is_scattered
              ? "$cells using 1:2:7 with points pointtype 7 pointsize 0.8 linecolor palette"
              : "$cells using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder linecolor palette");
    }
    if (!failed.empty()) {
      block("failed", failed);
      parts.push_back(
          fmt::format("$failed using 1:2 with points pointtype 2 pointsize {} linewidth 1 linecolor rgb '{}'",
                      picture_.points.size() > 2000 ? 0.2 : 0.5, sliding_colour));
    }
    if (parts.empty()) parts.push_back("1/0 notitle");
    append("plot {}\n", fmt::join(parts, ", \\\n  "));
  }

  const SweepPicture& picture_;
  Lettering words_;
  double header_ = 0;
};

}  // namespace

std::string sweep_script(const SweepPicture& picture, PictureFormat format) {
  return SweepScript(picture, format).text();
}

}  // namespace slideway
