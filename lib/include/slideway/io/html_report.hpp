// A run as one HTML page that needs nothing else: the equations as understood, the parameters, a picture to zoom and to
// point at, every event with its classification, statistics. It works without a network, is readable in print and by
// colour-blind readers, and stays of a size that a browser likes: curves are thinned to what a screen shows, and of very
// many events the first and the last are kept.
//
// It must not know files, nor how the run was made.
#pragma once

#include <iosfwd>
#include <string>

#include "slideway/io/plot.hpp"
#include "slideway/io/report.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

struct HtmlOptions {
  PlotOptions picture = {};  // the states of the phase portrait
  std::string how = {};      // "bdf   rtol 1e-06": how the run was made
};

// Throws as check_phase does.
void write_html(const RunReport& report, const Model& model, std::ostream& out,
                const HtmlOptions& options = {});

// The JSON that the program of the page draws from: curves, modes over time, surfaces, events. A page that redraws while a
// parameter moves asks for it alone. Its form is that of this version's program. Throws as check_phase does.
void write_picture_data(const RunReport& report, std::ostream& out, const PlotOptions& picture = {});

}  // namespace slideway
