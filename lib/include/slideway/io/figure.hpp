// A picture as a value: panels with curves, marks, bands and coloured cells, made once and drawn alike by every drawer.
//
// Coordinates are those of the data; a point that is not finite ends a piece of a curve. Colours are "#RRGGBB". A name is an entry
// of the legend, which shows each name once; "" is not shown there. It must not know what is shown, nor how it is drawn.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/io/plot.hpp"

namespace slideway {

struct FigurePoint {
  double x = 0;
  double y = 0;
};

struct FigureAxis {
  std::string label = {};
  // Lowest and highest value. Empty: the range of all that is drawn, with a margin.
  std::optional<std::pair<double, double>> range = {};
  bool is_logarithmic = false;
};

struct FigureCurve {
  std::string name = {};
  std::vector<FigurePoint> points = {};
  std::string colour = "#0072B2";
  double width = 1.8;          // pixels
  std::vector<int> dash = {};  // lengths of strokes and gaps in pixels; empty: solid
};

enum class FigureShape { disc, circle, triangle, triangle_down, square, diamond, cross, star };

struct FigureMarks {
  std::string name = {};
  std::vector<FigurePoint> points = {};
  FigureShape shape = FigureShape::disc;
  double size = 0.8;
  std::string colour = "#000000";
  std::vector<std::string> notes = {};  // beside the points; empty, or one for each of them
  bool at_lower_edge = false;           // the marks stand at x on the frame, whatever their y
};

// A stretch of the horizontal axis, over the whole height.
struct FigureBand {
  double from = 0;
  double to = 0;
  std::string colour = "#FBE3CF";
};

struct FigureCell {
  FigurePoint middle = {};
  FigurePoint low = {};
  FigurePoint high = {};
  double value = 0;
};

// Cells whose colour is their value: darker colours are lower values.
struct FigureCells {
  std::string label = {};  // at the scale of the colours
  std::vector<FigureCell> cells = {};
  bool as_dots = false;  // at the middles, where cells do not fill the plane
};

// One of the kinds that the cells of a raster are of; "" is not in the legend.
struct FigureKind {
  std::string name = {};
  std::string colour = {};
};

// A rectangle of equal cells, each in the colour of its kind. Nothing is drawn where there are none.
struct FigureRaster {
  FigurePoint low = {};  // the lower left corner of the rectangle
  FigurePoint high = {};
  int columns = 0;
  int rows = 0;
  std::vector<int> kinds_of_cells = {};  // places in `kinds`, row by row from below; −1: white
  std::vector<FigureKind> kinds = {};
};

struct FigurePanel {
  // The place in the grid of the figure, from 0 at the upper left, and how many rows of it the panel fills.
  int column = 0;
  int row = 0;
  int rows = 1;
  FigureAxis x = {};
  FigureAxis y = {};
  std::string note = {};  // above the panel
  std::vector<FigureBand> bands = {};
  FigureCells cells = {};
  FigureRaster raster = {};
  std::vector<FigureCurve> curves = {};  // the last one lies on top
  std::vector<FigureMarks> marks = {};
};

struct Figure {
  std::string title = {};
  std::vector<FigurePanel> panels = {};
  // The size of a cell of the grid, in pixels of the svg; `size` is that of the whole picture and replaces it.
  std::pair<int, int> panel_size = {860, 260};
  std::optional<std::pair<int, int>> size = {};
  // Names of axes, and what to write at them: "position x_{rel} [m]".
  std::vector<std::pair<std::string, std::string>> labels = {};
};

// The gnuplot script that draws the figure, data included. Throws std::invalid_argument for a label that cannot be read.
std::string figure_script(const Figure& figure, PictureFormat format);

// Draws the figure into a file. Throws what `figure_script`, `render` and `write_whole` throw.
void write_figure(const Figure& figure, const std::string& path);

}  // namespace slideway
