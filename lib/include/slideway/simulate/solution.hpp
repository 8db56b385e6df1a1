// The result of a run: how it ended, where it began and ended, what happened and the trajectory between.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/fired_guard.hpp"
#include "slideway/simulate/outcome.hpp"
#include "slideway/simulate/pending_action.hpp"
#include "slideway/simulate/sensitivity.hpp"
#include "slideway/simulate/trajectory.hpp"

namespace slideway {

// The state of the run at one instant.
struct Snapshot {
  double t = 0;
  Mode mode = {};
  Vector state = {};
  std::string location = {};  // "" where the problem has no locations
};

// Sums over the whole run, restarts included.
struct Statistics {
  std::int64_t steps = 0;
  std::int64_t field_evaluations = 0;       // all calls of the field, for events and guards too
  std::int64_t integrator_evaluations = 0;  // right-hand sides asked for by the integrator
  std::int64_t guard_evaluations = 0;
  std::int64_t jacobian_evaluations = 0;
  std::int64_t krylov_iterations = 0;  // of gmres
  std::int64_t restarts = 0;
  std::int64_t events = 0;
  std::int64_t integrator_roots =
      0;                          // instants with events that the integrator's own root-finding (CVODE's) saw
  std::int64_t dop853_steps = 0;  // of those of Method::automatic
  double stiff_from =
      std::numeric_limits<double>::quiet_NaN();  // when Method::automatic went over to BDF; NaN: it did not
  double largest_drift = 0;  // max |h| / (ε · size of h) over the steps recorded while sliding; dimensionless
  double wall_seconds = 0;  // of Simulator::run

  // Adds the work of another run, or of another part of the same run. Counts and seconds are summed; stiff_from becomes the earlier of
  // the two times and largest_drift the larger of the two drifts.
  Statistics& operator+=(const Statistics& other);
};

struct Solution {
  Outcome outcome = {};
  Snapshot initial = {};       // the mode is the one found at the start
  Snapshot final = {};         // at Outcome::t; another run may begin here (Run::mode)
  Trajectory trajectory = {};  // up to there; with Recording::nothing its end alone
  EventLog events = {};
  // Delayed actions that are due later than the end, and what a stop has left undone at the end.
  std::vector<PendingAction> pending = {};
  std::vector<FiredGuard> fired = {};  // at the end: another run that goes on there takes them, as Run::fired
  Matrix outputs = {};                 // n × output_times, NaN where the run stopped earlier or began later
  Statistics statistics = {};
  // `warnings` names things that did not stop the run but are probably not meant. One is the guard of a reset,
  // stop or edge that never fired although the end of the run finds it beyond zero in its direction. Another is
  // a series of steps that shrank geometrically towards the end.
  std::vector<std::string> warnings = {};
  // The derivatives asked for by Options::sensitivities; null where none were.
  std::shared_ptr<const Sensitivities> sensitivities = {};
};

}  // namespace slideway
