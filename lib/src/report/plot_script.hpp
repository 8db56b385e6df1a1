// The gnuplot script of a run's picture: the data, panels of states over time, and the phase portrait of two or three states.
//
// The parts are in plot_script.cpp (the page and its data), plot_script_panels.cpp and plot_script_portrait.cpp.
// It must not know files, nor how gnuplot is called.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/gnuplot_script.hpp"
#include "report/plot_axes.hpp"
#include "report/plot_curves.hpp"
#include "report/plot_legend.hpp"
#include "report/plot_lettering.hpp"
#include "slideway/io/plot.hpp"

namespace slideway {

// Events that a reader may take for one thing share a marker.
struct MarkerGroup {
  const char* title;
  int point_type;
  double size;
  std::vector<EventKind> kinds;
};
const std::vector<MarkerGroup>& marker_groups();

bool is_marked(Markers markers, EventKind kind);

class PlotScript : public GnuplotScript {
 public:
  // The report must outlive the script.
  PlotScript(const RunReport& report, PictureFormat format, const PlotOptions& options);

  // The picture could not show these, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool is_state(Index curve) const { return curve < system_.states(); }
  // The number of a state among those kept, and its column in the data.
  std::size_t place_of(Index state) const {
    return static_cast<std::size_t>(std::find(kept_.begin(), kept_.end(), state) - kept_.begin());
  }
  std::size_t column(Index state) const { return place_of(state) + 2; }
  const Axis& axis(Index state) const { return axes_[place_of(state)]; }
  std::string name(Index curve) const { return words_.name(curve_name(report_, curve)); }

  void data();
  void append_row(double t, const Vector& kept);
  std::string event_row(const EventRecord& event, const Solution& solution) const;
  void append_curve(const char* name, const Curve& curve);
  void append_contour(const std::string& name, const GuardGrid& grid);
  void surface_data(Index surface);

  static std::string surface_style();
  static std::string jump_style();
  static std::string band_style();
  std::string marker_style(std::size_t group) const;
  void append_plot(const std::vector<std::string>& parts);
  Legend legend() const;
  // The title asked for or the model's name.
  std::string title() const;
  void time_panels(const Frame& frame);
  // A stretch of time in one location.
  struct LocationSpan {
    std::string name = {};
    Range time = {};
    bool is_named = false;  // in the picture
  };
  std::vector<LocationSpan> location_band() const;
  void draw_locations(const std::vector<LocationSpan>& spans, const Frame& frame);
  std::vector<std::string> time_parts(Index state) const;

  std::string portrait_columns() const;
  std::vector<std::string> portrait_parts() const;
  std::vector<const Snapshot*> ends() const;
  void portrait_ends();
  void plane_portrait(const Frame& frame);
  void space_portrait(const Frame& frame);
  void surface_time();
  void arrows();

  const RunReport& report_;
  std::string title_;  // empty: the name of the model
  Lettering words_;
  const System& system_;
  const Solution& solution_;
  std::vector<Index> kept_;  // the states and observables in the data
  Markers markers_;
  bool are_chosen_;  // the states over time
  bool is_whole_;    // no part of the run is left out
  RunCurves curves_;
  std::vector<std::string> notes_ = {};
  Axis time_ = {};
  std::vector<Axis> axes_ = {};  // per state kept
  std::vector<Index> panels_;    // the states and observables over time
  std::vector<Index> portrait_;  // the states and observables of the phase portrait
  double header_ = 0;
  double footer_ = 0;
  // The events of a group of markers.
  struct Marked {
    std::size_t group = 0;
    std::vector<std::string> panels = {};  // the data of each panel; "" for none
    std::size_t drawn = 0;
    std::size_t all = 0;
  };
  double panel_width_ = 0;  // pixels, over time
  double page_height_ = 1;  // pixels
  std::vector<Marked> used_groups_;
  std::vector<std::pair<Index, std::string>> time_contours_;
  std::vector<std::string> portrait_surfaces_;
  bool draws_jumps_ = false;
  bool surfaces_move_ = false;
};

}  // namespace slideway
