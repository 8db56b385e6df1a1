#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/gnuplot_script.hpp"
#include "report/plot_curves.hpp"
#include "report/plot_legend.hpp"
#include "report/plot_lettering.hpp"
#include "report/plot_style.hpp"
#include "slideway/io/figure.hpp"

namespace slideway {

namespace {

// Viridis: its lightness grows evenly.
constexpr const char* palette =
    "set palette defined (0 '#440154', 1 '#482878', 2 '#3E4A89', 3 '#31688E', 4 '#26828E', 5 '#1F9E89', "
    "6 '#35B779', 7 '#6DCD59', 8 '#B4DE2C', 9 '#FDE725')\n";

// Pixels around a panel.
constexpr double left_margin = 96;  // the longest numbers and a label stand there
constexpr double right_margin = 24;
constexpr double scale_margin = 96;  // where a scale of colours stands at the right
constexpr double lower_margin = 56;
constexpr double upper_margin = 8;
constexpr double note_margin = 22;
constexpr double first_header_row = 40;

constexpr int filled_square = 5;  // of gnuplot's types of points

int point_type(FigureShape shape) {
  switch (shape) {
    case FigureShape::disc: return 7;
    case FigureShape::circle: return 6;
    case FigureShape::triangle: return 8;
    case FigureShape::triangle_down: return 10;
    case FigureShape::square: return 4;
    case FigureShape::diamond: return 12;
    case FigureShape::cross: return 2;
    case FigureShape::star: return 3;
  }
  return 7;
}

std::string dash_text(const std::vector<int>& dash) {
  return dash.empty() ? "solid" : fmt::format("({})", fmt::join(dash, ","));
}

bool is_drawn(const FigurePoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

// The values along an axis that are drawn; on a logarithmic axis those above zero.
class Extent {
 public:
  explicit Extent(bool is_logarithmic) : is_logarithmic_(is_logarithmic) {}

  void add(double value) {
    if (!std::isfinite(value) || (is_logarithmic_ && value <= 0)) return;
    range_ = {std::min(range_.low, value), std::max(range_.high, value)};
  }
  bool is_empty() const { return !(range_.low <= range_.high); }
  Range with_margin() const {
    if (is_empty()) return is_logarithmic_ ? Range{0.1, 10} : Range{-1, 1};
    if (!is_logarithmic_) return padded(range_);
    const double factor = std::max(std::pow(range_.high / range_.low, 0.05), 1.05);
    return {range_.low / factor, range_.high * factor};
  }

 private:
  bool is_logarithmic_;
  Range range_ = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
};

class FigureScript : public GnuplotScript {
 public:
  FigureScript(const Figure& figure, PictureFormat format) : figure_(figure), words_(format, figure.labels) {
    int columns = 1;
    int rows = 1;
    for (const FigurePanel& panel : figure.panels) {
      columns = std::max(columns, panel.column + 1);
      rows = std::max(rows, panel.row + panel.rows);
    }
    Legend entries = legend();
    const int wanted = figure.size ? figure.size->first : columns * figure.panel_size.first;
    const int width = figure.size ? wanted : page_width(format, wanted);
    const double left = left_margin / width;
    const double legend_rows = entries.arrange(words_, left_margin, width - right_margin, figure.title);
    const double header = first_header_row + Legend::row_height * (legend_rows - 1);
    const int height = figure.size ? figure.size->second
                                   : static_cast<int>(std::lround(header)) + rows * figure.panel_size.second;
    text_ = picture_settings(format, width, height, words_.is_enhanced());
    data();
    append("set multiplot\nunset key\n");
    const double first_row = 1 - 0.5 * first_header_row / height;
    append("set label {} at screen {:.4f},{:.4f} left\n",
           words_.bold(entries.fitting(figure.title, left_margin)), left, first_row);
    text_ += entries.drawn(words_, width - right_margin, width, height, first_row);
    const double cell_width = static_cast<double>(width) / columns;
    const double cell_height = (height - header) / rows;
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
      const FigurePanel& panel = figure.panels[p];
      const double above = height - header - panel.row * cell_height;
      const double below = above - panel.rows * cell_height;
      place({(panel.column * cell_width + left_margin) / width,
             ((panel.column + 1) * cell_width - (panel.cells.label.empty() ? right_margin : scale_margin)) /
                 width,
             (below + lower_margin) / height,
             (above - upper_margin - (panel.note.empty() ? 0 : note_margin)) / height});
      draw(p);
    }
    append("unset multiplot\n");
  }

 private:
  // A block of data has the name of what it shows, as far as gnuplot can read it.
  std::string block_name(const std::string& name, const char* otherwise) {
    std::string letters;
    for (const char character : name) {
      if (std::isalnum(static_cast<unsigned char>(character)) != 0 && letters.size() < 24)
        letters += character;
      else if (!letters.empty() && letters.back() != '_')
        letters += '_';
    }
    while (!letters.empty() && letters.back() == '_') letters.pop_back();
    if (letters.empty() || std::isdigit(static_cast<unsigned char>(letters.front())) != 0)
      letters = otherwise + letters;
    std::string unique = letters;
    for (int k = 2; !blocks_.insert(unique).second; ++k) unique = fmt::format("{}_{}", letters, k);
    return "$" + unique;
  }

  std::string points_block(const std::string& name, const std::vector<FigurePoint>& points,
                           const char* otherwise) {
    const std::string block = block_name(name, otherwise);
    append("{} << EOD\n", block);
    bool is_broken = true;
    bool is_empty = true;
    for (const FigurePoint& point : points) {
      if (is_drawn(point))
        append("{:.15g} {:.15g}\n", point.x, point.y);
      else if (!is_broken)
        append("\n");
      is_broken = !is_drawn(point);
      is_empty = is_empty && is_broken;
    }
    append("EOD\n");
    return is_empty ? "" : block;
  }

  void data() {
    for (const FigurePanel& panel : figure_.panels) {
      Blocks of;
      for (const FigureCurve& curve : panel.curves)
        of.curves.push_back(points_block(curve.name, curve.points, "curve"));
      for (const FigureMarks& marks : panel.marks)
        of.marks.push_back(marks.at_lower_edge ? "" : points_block(marks.name, marks.points, "marks"));
      if (!panel.cells.cells.empty()) {
        of.cells = block_name("cells", "cells");
        append("{} << EOD\n", of.cells);
        for (const FigureCell& cell : panel.cells.cells) {
          if (!std::isfinite(cell.value)) continue;
          append("{:.10g} {:.10g} {:.10g} {:.10g} {:.10g} {:.10g} {:.8g}\n", cell.middle.x, cell.middle.y,
                 cell.low.x, cell.high.x, cell.low.y, cell.high.y, cell.value);
        }
        append("EOD\n");
      }
      if (has_raster(panel)) of.raster = raster_block(panel.raster);
      panel_blocks_.push_back(std::move(of));
    }
  }

  static bool has_raster(const FigurePanel& panel) {
    return panel.raster.columns > 0 && panel.raster.rows > 0;
  }

  // A number per cell; gnuplot leaves a cell without one white.
  std::string raster_block(const FigureRaster& raster) {
    const std::string block = block_name("raster", "raster");
    append("{} << EOD\n", block);
    for (int row = 0; row < raster.rows; ++row) {
      for (int column = 0; column < raster.columns; ++column) {
        const int kind =
            raster.kinds_of_cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(raster.columns) +
                                  static_cast<std::size_t>(column)];
        text_ += column > 0 ? " " : "";
        text_ += kind < 0 ? "NaN" : std::to_string(kind);
      }
      text_ += '\n';
    }
    text_ += "EOD\n";
    return block;
  }

  // The colour of kind k is at k; with one kind the range has a width all the same.
  std::string raster_plot(const FigureRaster& raster, const std::string& block) {
    std::vector<std::string> colours;
    for (std::size_t k = 0; k < raster.kinds.size(); ++k)
      colours.push_back(
          fmt::format("{} '{}', {} '{}'", k, raster.kinds[k].colour, k + 1, raster.kinds[k].colour));
    append("set palette defined ({}) maxcolors {}\nset cbrange [0:{}]\nunset colorbox\n",
           fmt::join(colours, ", "), raster.kinds.size(), raster.kinds.size());
    const double width = (raster.high.x - raster.low.x) / raster.columns;
    const double height = (raster.high.y - raster.low.y) / raster.rows;
    return fmt::format("{} matrix using ({:.15g}+{:.15g}*$1):({:.15g}+{:.15g}*$2):($3+0.5) with image", block,
                       raster.low.x + 0.5 * width, width, raster.low.y + 0.5 * height, height);
  }

  Legend legend() const {
    Legend entries;
    std::set<std::string> known;
    const auto is_new = [&](const std::string& name) { return !name.empty() && known.insert(name).second; };
    for (const FigurePanel& panel : figure_.panels) {
      for (const FigureKind& kind : panel.raster.kinds) {
        if (is_new(kind.name)) entries.add(kind.name, Legend::point(filled_square, 1.2, kind.colour.c_str()));
      }
      for (const FigureCurve& curve : panel.curves) {
        if (is_new(curve.name))
          entries.add(curve.name, Legend::line(curve.colour.c_str(), curve.width, dash_text(curve.dash)));
      }
      for (const FigureMarks& marks : panel.marks) {
        if (is_new(marks.name))
          entries.add(marks.name, Legend::point(point_type(marks.shape), marks.size, marks.colour.c_str()));
      }
    }
    return entries;
  }

  void axis(char letter, const FigureAxis& axis, const Range& range) {
    append("{0} logscale {1}\nset {1}range [{2:.15g}:{3:.15g}]\n", axis.is_logarithmic ? "set" : "unset",
           letter, range.low, range.high);
    append("set format {} {}\n", letter, words_.number_format());
    append("set {}label {} offset {}\n", letter, words_.name(axis.label),
           letter == 'x' ? "0,0.3" : fmt::format("{},0", words_.label_offset()));
  }

  // The range that is asked for, or that of all that is drawn.
  static Range range_of(const FigureAxis& axis, const FigurePanel& panel, double FigurePoint::*coordinate) {
    if (axis.range) return {axis.range->first, axis.range->second};
    Extent extent(axis.is_logarithmic);
    for (const FigureCurve& curve : panel.curves)
      for (const FigurePoint& point : curve.points)
        if (is_drawn(point)) extent.add(point.*coordinate);
    for (const FigureMarks& marks : panel.marks)
      for (const FigurePoint& point : marks.points)
        if (is_drawn(point) || (marks.at_lower_edge && coordinate == &FigurePoint::x))
          extent.add(point.*coordinate);
    if (has_raster(panel)) return {panel.raster.low.*coordinate, panel.raster.high.*coordinate};
    if (!panel.cells.cells.empty() && !panel.cells.as_dots) {
      Range edge{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
      for (const FigureCell& cell : panel.cells.cells)
        edge = {std::min(edge.low, cell.low.*coordinate), std::max(edge.high, cell.high.*coordinate)};
      return edge;
    }
    for (const FigureCell& cell : panel.cells.cells) extent.add(cell.middle.*coordinate);
    return extent.with_margin();
  }

  void colours(const FigureCells& cells) {
    Range values{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const FigureCell& cell : cells.cells) {
      if (std::isfinite(cell.value))
        values = {std::min(values.low, cell.value), std::max(values.high, cell.value)};
    }
    if (!(values.low <= values.high)) return;
    if (values.width() <= least_resolved_part * size_of(values)) values = padded(values);
    text_ += palette;
    append("set cblabel {} offset 0.5,0\nset cbrange [{:.10g}:{:.10g}]\n", words_.verbatim(cells.label),
           values.low, values.high);
  }

  void draw(std::size_t place) {
    const FigurePanel& panel = figure_.panels[place];
    const Blocks& blocks = panel_blocks_[place];
    axis('x', panel.x, range_of(panel.x, panel, &FigurePoint::x));
    axis('y', panel.y, range_of(panel.y, panel, &FigurePoint::y));
    if (!panel.note.empty()) append("set label {} at graph 0.02,1.03 left\n", words_.verbatim(panel.note));
    for (const FigureBand& band : panel.bands)
      append(
          "set object rectangle from first {:.9g},graph 0 to first {:.9g},graph 1 behind fillstyle solid 1 "
          "noborder fillcolor rgb '{}'\n",
          band.from, band.to, band.colour);
    std::vector<std::string> parts;
    if (!blocks.raster.empty()) parts.push_back(raster_plot(panel.raster, blocks.raster));
    if (!blocks.cells.empty()) {
      colours(panel.cells);
      parts.push_back(
          blocks.cells +
          (panel.cells.as_dots
               ? " using 1:2:7 with points pointtype 7 pointsize 0.8 linecolor palette"
               : " using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder linecolor palette"));
    }
    for (std::size_t k = 0; k < panel.curves.size(); ++k) {
      const FigureCurve& curve = panel.curves[k];
      if (!blocks.curves[k].empty())
        parts.push_back(fmt::format("{} using 1:2 with lines linecolor rgb '{}' linewidth {:g} dashtype {}",
                                    blocks.curves[k], curve.colour, curve.width, dash_text(curve.dash)));
    }
    for (std::size_t k = 0; k < panel.marks.size(); ++k) {
      const FigureMarks& marks = panel.marks[k];
      const std::string style = fmt::format("pointtype {} pointsize {:g} linewidth 1.2 linecolor rgb '{}'",
                                            point_type(marks.shape), marks.size, marks.colour);
      if (marks.at_lower_edge) {
        for (const FigurePoint& point : marks.points)
          if (std::isfinite(point.x))
            append("set label '' at first {:.10g}, graph 0 point {} front\n", point.x, style);
        continue;
      }
      for (std::size_t i = 0; i < std::min(marks.notes.size(), marks.points.size()); ++i) {
        if (is_drawn(marks.points[i]))
          append("set label {} at first {:.10g}, first {:.10g} left offset 0.6,0.5 front\n",
                 words_.verbatim(marks.notes[i]), marks.points[i].x, marks.points[i].y);
      }
      if (!blocks.marks[k].empty())
        parts.push_back(fmt::format("{} using 1:2 with points {}", blocks.marks[k], style));
    }
    if (parts.empty()) parts.emplace_back("1/0 notitle");
    append("plot {}\nunset label\nunset object\nunset arrow\n", fmt::join(parts, ", \\\n  "));
  }

  struct Blocks {
    std::vector<std::string> curves = {};  // their names; "" where nothing is drawn
    std::vector<std::string> marks = {};
    std::string cells = {};
    std::string raster = {};
  };

  const Figure& figure_;
  Lettering words_;
  std::set<std::string> blocks_ = {};
  std::vector<Blocks> panel_blocks_ = {};
};

}  // namespace

std::string figure_script(const Figure& figure, PictureFormat format) {
  return FigureScript(figure, format).text();
}

void write_figure(const Figure& figure, const std::string& path) {
  write_picture(figure_script(figure, picture_format(path)), path);
}

}  // namespace slideway
