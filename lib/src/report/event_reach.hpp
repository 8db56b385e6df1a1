// The panels that an event concerns, so that a picture of many panels marks it there only.
//
// It must not know gnuplot.
#pragma once

#include <vector>

#include "report/plot_curves.hpp"

namespace slideway {

class EventReach {
 public:
  // The curves in the panels are states and observables of the report; both must outlive this.
  EventReach(const RunReport& report, const std::vector<Index>& panels);

  // An event that makes states jump concerns the panels of these. One of surfaces concerns the panels of the states in their guards,
  // and of those whose derivative they switch. Any other concerns all panels, and so does every event where panels are few.
  bool concerns(const EventRecord& event, std::size_t panel) const;

 private:
  void probe(const EventRecord& event, Index surface);

  const RunReport& report_;
  const std::vector<Index>& panels_;
  std::vector<double> shifts_ = {};                  // per panel
  std::vector<std::vector<char>> of_surfaces_ = {};  // per surface and panel
  std::vector<int> probes_ = {};                     // per surface
};

}  // namespace slideway
