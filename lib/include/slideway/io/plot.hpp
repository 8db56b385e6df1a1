// A picture of a run, drawn by gnuplot: every state over time with the sliding intervals shaded and the events
// marked; beside it, for two states or the two or three chosen ones, the phase portrait with the switching surfaces
// h = 0 and the sliding pieces. Colours are told apart by colour-blind readers, and shapes and dashes carry the same news in print.
//
// Several runs are drawn over each other, a colour each; of a network a raster shows what every surface does.
//
// gnuplot runs as a program and is needed by nothing else. It is handed its script and data on its standard
// input and returns the picture on its standard output: no file name of the user reaches it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "slideway/io/report.hpp"

namespace slideway {

// `tex` is to be read by LaTeX: the words are LaTeX's, the lines are in a .pdf beside it. `script` is gnuplot's own: data and
// commands, to edit.
enum class PictureFormat { svg, png, pdf, tex, script };

// picture_format() reads the extension of a file name ("-" is svg); it throws std::invalid_argument for any other.
PictureFormat picture_format(const std::string& path);

// The file that a picture of this name has beside it: "x-inc.pdf" of "x.tex"; empty for other formats.
std::string file_beside(const std::string& path);

// gnuplot cannot be run; what() says how to get it.
class GnuplotMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The events that are marked: none, those at which sliding begins or ends, or all.
enum class Markers { none, sliding, all };

struct PlotOptions {
  // The states or observed quantities of the phase portrait, two or three; the panels over time then show the states among them,
  // unless `states` says which. Empty: both states of a system of two, else no portrait.
  std::vector<std::string> phase = {};
  std::vector<std::string> states =
      {};                  // those with a panel over time; empty: the first six, or those of the portrait
  std::string title = {};  // empty: the name of the model
  // Marks of one kind that would lie on each other are thinned evenly over time.
  Markers markers = Markers::all;
  std::optional<std::pair<int, int>> size = {};  // width and height, in pixels of the svg
  std::optional<std::pair<double, double>> times =
      {};  // the part of the run that is drawn; empty: the whole run
  // Names of states and observables, or "t", and what to write at their axes: "position x_{rel} [m]".
  std::vector<std::pair<std::string, std::string>> labels = {};
  std::vector<std::string> log = {};  // the states and observables, or "t", that have a logarithmic axis
  // Instead of curves a row for each surface, contact and named event: bars while it slides, dots at its events.
  bool raster = false;
};

// A run of several in one picture.
struct RunLayer {
  RunReport report;
  std::string label = {};  // in the legend
};

// Throws std::invalid_argument when the portrait is of other than two or three different ones of the names, which are those of
// states and observables.
void check_phase(const PlotOptions& options, const std::vector<std::string>& names);

// Throws std::invalid_argument if a panel asks for a state that is not among the names, or if two panels ask for the same one.
void check_states(const PlotOptions& options, const std::vector<std::string>& names);

// Throws std::invalid_argument for a label or a logarithmic axis of something that is not there, and for a label that cannot be read.
// The names are those of states and observables.
void check_labels(const PlotOptions& options, const std::vector<std::string>& names);
void check_log(const PlotOptions& options, const std::vector<std::string>& names);

// Throws std::invalid_argument where runs cannot be drawn over each other: two have no state in common.
void check_overlay(const std::vector<RunLayer>& runs);

// The gnuplot script that draws the run, data included. Throws as the checks.
std::string plot_script(const RunReport& report, PictureFormat format, const PlotOptions& options = {});
// The runs over each other, the same states in one panel. Throws likewise, and where two runs have no state in common.
std::string plot_script(const std::vector<RunLayer>& runs, PictureFormat format,
                        const PlotOptions& options = {});

// The picture a gnuplot script makes. Throws GnuplotMissing, or FileError with gnuplot's complaint.
std::string render(const std::string& script);

// The two files that a gnuplot script for `tex` makes; the text names the drawing `drawing`. Throws as `render`.
struct TexPicture {
  std::string text;
  std::string drawing;
};
TexPicture render_tex(const std::string& script, const std::string& drawing);

// Writes the picture a gnuplot script makes, or for a name in .gp the script itself, whole or not at all. Throws what `render` and `write_whole` throw.
void write_picture(const std::string& script, const std::string& path);

// Writes the picture of one run or of several, and returns what it could not show, a sentence each. Throws what `render` and
// `write_whole` throw.
std::vector<std::string> write_plot(const RunReport& report, const std::string& path,
                                    const PlotOptions& options = {});
std::vector<std::string> write_plot(const std::vector<RunLayer>& runs, const std::string& path,
                                    const PlotOptions& options = {});

}  // namespace slideway
