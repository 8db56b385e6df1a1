// Limits of accumulations that the solution has not reached yet, on their way to the log.
//
// The members of a series are put at their limit at once; the log shows the limit at its time.
//
// It must not know how a limit was found.
#pragma once

#include "log/run_log.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class PendingLimits {
 public:
  // The references must outlive it.
  PendingLimits(RunState& now, RunLog& log) : now_(now), log_(log) {}

  // Shows the limits from `from` to the time of the run along the last step, and returns the last of their times, or `from`.
  double pass(double from, bool arrived);
  // Shows the limits whose members end here.
  void show_those_that_end(const Arrivals& arrivals);
  // Drops the limits of which a member no longer slides or is no longer closed.
  void drop_disturbed();

 private:
  void show(AccumulationLimit limit, double t, const Vector& x);

  RunState& now_;
  RunLog& log_;
};

}  // namespace slideway
