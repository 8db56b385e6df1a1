// The gnuplot script of a raster: a row for each surface, contact and named event of a network, bars while it slides and dots at
// its events.
//
// It must not know files, nor how gnuplot is called.
#pragma once

#include <string>
#include <vector>

#include "report/gnuplot_script.hpp"
#include "report/plot_axes.hpp"
#include "report/plot_legend.hpp"
#include "report/plot_lettering.hpp"
#include "slideway/io/plot.hpp"

namespace slideway {

class RasterScript : public GnuplotScript {
 public:
  RasterScript(const RunReport& report, PictureFormat format, const PlotOptions& options);

  // The picture could not show these, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Row {
    std::string name = {};
    std::vector<Range> bars = {};
    std::vector<double> dots = {};
  };

  void collect_bars(const Solution& solution, Index surfaces);
  void collect_dots(const Solution& solution, Markers markers, Index surfaces);
  void order_named(std::size_t surfaces);
  void thin_out();
  void data();
  Legend legend() const;
  void panel(const Frame& frame, int height);

  Lettering words_;
  std::vector<std::string> notes_ = {};
  std::vector<Row> rows_ = {};  // the surfaces come first
  Axis time_ = {};
  bool has_bars_ = false;
  bool has_dots_ = false;
};

}  // namespace slideway
