// Whether a dip through a surface, no deeper than the errors of integration may be, is one: the flight that ends in it is integrated
// once more, with errors far below the tolerances.
//
// A dip deeper than the tolerance of its guard is passed through. Errors may have made a shallower dip, and a deeper one too. A motion
// that left a surface along it may come back and touch it exactly, as a block that slips between two that stick.
//
// It must not know what follows from a dip.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulate/event_resolver.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class DipCheck {
 public:
  // The state must outlive the check.
  explicit DipCheck(const RunState& now) : now_(now) {}

  // A mode begins: the flight that ends in a dip starts here, unless it goes on after a touch.
  void begin_flight();
  // The surfaces whose dips are deeper than the tolerances, by the flight integrated again. The record of the resolution says of the
  // others why they count as touched.
  std::vector<Index> certain_dips(Resolution& resolution);

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    flight_.visit_fields(visit);
  }

 private:
  // The flight to a dip, from the last instant at which the surfaces `left` were met. Its state there is as good as the run's was at
  // its beginning: after a touch it is that of the flight that was integrated again.
  struct Flight {
    double start = 0;
    Vector state;
    std::vector<Index> left;
    bool goes_on = false;  // after a touch
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("start", start);
      visit("state", state);
      visit("left", left);
      visit("goes_on", goes_on);
    }
  };

  // depth_of_dip() tells how far the flight goes beyond the surface where it turns nearest to the time of the
  // run, and its state then; nothing where it cannot be told.
  std::optional<double> depth_of_dip(const Dip& dip, Vector& state);
  // The reason in the log for a dip that counts as a touch: its depth by the step, or as integrated again.
  std::string why_touched(const Dip& dip, std::optional<double> integrated, double counts_from) const;

  const RunState& now_;
  Flight flight_;
};

}  // namespace slideway
