// A picture of a run, drawn by gnuplot: every state over time with the sliding intervals shaded and the events
// marked; beside it, for two states or the two or three chosen ones, the phase portrait with the switching surfaces
// h = 0 and the sliding pieces. Colours are told apart by colour-blind readers, and shapes and dashes carry the same news in print.
//
// gnuplot runs as a program and is needed by nothing else. It is handed its script and data on its standard
// input and returns the picture on its standard output: no file name reaches it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "slideway/io/report.hpp"

namespace slideway {

// `script` is gnuplot's own: data and commands, to edit.
enum class PictureFormat { svg, png, pdf, script };

// From the extension of a file name ("-" is svg); throws std::invalid_argument for any other.
PictureFormat picture_format(const std::string& path);

// gnuplot cannot be run; what() says how to get it.
class GnuplotMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The events that are marked: none, those at which sliding begins or ends, or all.
enum class Markers { none, sliding, all };

struct PlotOptions {
  // The states of the phase portrait, two or three; the panels over time then show these. Empty: both states of a
  // system of two, else no portrait.
  std::vector<std::string> phase = {};
  std::string title = {};  // empty: the name of the model
  // Marks of one kind that would lie on each other are thinned evenly over time.
  Markers markers = Markers::all;
  std::optional<std::pair<int, int>> size = {};  // width and height, in pixels of the svg
  std::optional<std::pair<double, double>> times =
      {};  // the part of the run that is drawn; empty: the whole run
};

// Throws std::invalid_argument when the portrait is of other than two or three different states of the system.
void check_phase(const PlotOptions& options, const System& system);

// The gnuplot script that draws the run, data included. Throws as `check_phase`.
std::string plot_script(const RunReport& report, PictureFormat format, const PlotOptions& options = {});

// The picture a gnuplot script makes. Throws GnuplotMissing, or std::runtime_error with gnuplot's complaint.
std::string render(const std::string& script);

// Writes the picture a gnuplot script makes, or for a name in .gp the script itself, whole or not at all. Throws what `render` and `write_whole` throw.
void write_picture(const std::string& script, const std::string& path);

// Writes the picture of a run. Throws what `render` and `write_whole` throw.
void write_plot(const RunReport& report, const std::string& path, const PlotOptions& options = {});

}  // namespace slideway
