// The points of a Poincaré section of one run: as a table, and as a picture.
//
// It must not know how a run is made, nor where files go.
#pragma once

#include <iosfwd>

#include "slideway/io/figure.hpp"
#include "slideway/io/report.hpp"

namespace slideway {

// A row per point, as CSV: its number from 1, t and each state, numbers as the shortest that read back as the same. The report has a
// section.
void write_section_csv(const RunReport& report, std::ostream& out);

// A picture with two panels: the points in the plane of two states, and the map of the first of them, its next value
// over each one. The states are those of PlotOptions::phase, else the two that vary most. Throws std::invalid_argument for a phase of
// other than two states, and for a section with fewer than two points.
Figure section_figure(const RunReport& report, const PlotOptions& options = {});

}  // namespace slideway
