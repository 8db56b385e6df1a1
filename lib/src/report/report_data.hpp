// The data of the program of a report's page, as JSON: curves thinned to what a screen shows, modes over time, surfaces
// that can be drawn, events with their classification.
//
// It must not know HTML, but that its text goes into an element of a page.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "report/plot_curves.hpp"
#include "slideway/io/plot.hpp"
#include "slideway/io/report.hpp"

namespace slideway {

// The word of a mode, or how many slide where there are too many for a word.
std::string mode_word(const Mode& mode);

class ReportData {
 public:
  // Throws as check_phase does.
  ReportData(const RunReport& report, const PlotOptions& picture);

  void write(std::ostream& out) const;
  // states() tells how many of the states are in the data.
  Index states() const;

 private:
  void add_state(Index state);
  std::size_t place_of(Index state) const;
  void write_curves(std::ostream& out) const;
  void write_segments(std::ostream& out) const;
  void write_surfaces(std::ostream& out) const;
  void write_events(std::ostream& out) const;
  void write_between(std::ostream& out, std::size_t begin, std::size_t end) const;

  const RunReport& report_;
  const System& system_;
  const Solution& solution_;
  std::vector<Index> kept_ = {};          // the states and observables in the page
  std::vector<std::size_t> chosen_ = {};  // those shown at first, into kept_
  std::vector<std::size_t> phase_ = {};   // of the portrait, likewise
  RunCurves curves_ = {};
};

}  // namespace slideway
