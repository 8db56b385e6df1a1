// The gnuplot script of several runs over each other: a panel for each state that any of them has, a colour for each run.
//
// It must not know files, nor how gnuplot is called.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/gnuplot_script.hpp"
#include "report/plot_axes.hpp"
#include "report/plot_curves.hpp"
#include "report/plot_legend.hpp"
#include "report/plot_lettering.hpp"
#include "slideway/io/plot.hpp"

namespace slideway {

class OverlayScript : public GnuplotScript {
 public:
  // Throws std::invalid_argument where two runs have no state in common, or none has the states of the portrait.
  OverlayScript(const std::vector<RunLayer>& runs, PictureFormat format, const PlotOptions& options);

  // The picture could not show these, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Layer {
    const RunReport* report = nullptr;
    std::vector<std::string> names = {};  // of the states and observables kept
    std::vector<Index> kept = {};
    RunCurves curves = {};
    // The place of a name among those kept.
    std::optional<std::size_t> place(const std::string& name) const;
    bool has_all(const std::vector<std::string>& wanted) const;
  };

  void choose_panels(const std::vector<RunLayer>& runs, const PlotOptions& options);
  void sample(const PlotOptions& options);
  void data();
  Axis axis(const std::string& name, const PlotOptions& options);
  Legend legend(const std::vector<RunLayer>& runs) const;
  // The parts of a plot: columns are the names of what is drawn, "t" for time.
  std::vector<std::string> parts(const std::vector<std::string>& columns) const;
  void time_panels(const Frame& frame);
  void portrait(const Frame& frame);

  Lettering words_;
  Markers markers_;
  std::vector<std::string> notes_ = {};
  std::vector<Layer> layers_ = {};
  std::vector<std::string> panels_ = {};  // over time, then further ones of the portrait
  std::size_t shown_ = 0;                 // over time
  std::vector<std::string> portrait_ = {};
  std::vector<std::vector<std::size_t>> marks_ = {};  // the groups with an event, per layer
  std::vector<std::pair<std::size_t, std::size_t>> marks_of_group_ = {};  // those drawn, and all
  std::vector<Axis> axes_ = {};                                           // per panel
  Axis time_ = {};
};

}  // namespace slideway
