// A picture of a run, drawn by gnuplot: every state over time with the sliding intervals shaded and the events
// marked; beside it, for two states, the phase portrait with the switching surfaces h = 0 and the sliding
// pieces. Colours are told apart by colour-blind readers, and shapes and dashes carry the same news in print.
//
// gnuplot runs as a program and is needed by nothing else. It is handed its script and data on its standard
// input and returns the picture on its standard output: no file name reaches it.
#pragma once

#include <stdexcept>
#include <string>

#include "slideway/io/report.hpp"

namespace slideway {

enum class PictureFormat { svg, png, pdf };

// From the extension of a file name ("-" is svg); throws std::invalid_argument for any other.
PictureFormat picture_format(const std::string& path);

// gnuplot cannot be run; what() says how to get it.
class GnuplotMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The gnuplot script that draws the run, data included.
std::string plot_script(const RunReport& report, PictureFormat format);

// The picture a gnuplot script makes. Throws GnuplotMissing, or std::runtime_error with gnuplot's complaint.
std::string render(const std::string& script);

// Writes the picture whole or not at all. Throws what `render` and `write_whole` throw.
void write_plot(const RunReport& report, const std::string& path);

}  // namespace slideway
