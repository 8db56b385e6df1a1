// Follows a System, or an Automaton of several, through its discontinuities:
//     classify → freeze the mode → step → locate → resolve → append.
// The problem is immutable, the run is private to `run`, the result is returned.
// It must not know file formats.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/pending_action.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

class LiveRun;
class RelayStructure;

// Run says where a run begins and ends.
struct Run {
  double start = 0;
  double end = 0;  // ≥ start
  // n entries, finite, as in `Eigen::Vector2d{2, 0}` or, of any size, `Vector{{2, 0, 1}}`; no gap of a contact may be negative.
  Vector state = {};
  // "" for the initial one; where a run ended that slid between two, the name that it ended with.
  std::string location = {};
  // The mode to begin in: one of the continuations of an ambiguous event at this point, or that of a Snapshot or an event, to
  // go on where a run ended. The state must be where this mode is. The run finds the mode where it is not given.
  std::optional<Mode> mode = {};
  // `pending` holds what the run that this one continues has left to do, as its Solution::pending. Where a mode is given, all other time
  // events at the start have fired in that run.
  std::vector<PendingAction> pending = {};
  // `fired` holds the guards that have fired and are zero since, as its Solution::fired. They fire again once they have left zero.
  std::vector<FiredGuard> fired = {};
};

// May be used for any number of runs, also at the same time in several threads if the callbacks of the problem and of the
// options may.
class Simulator {
 public:
  // A System is an automaton of one location. Throws std::invalid_argument when an option makes no sense for it.
  explicit Simulator(Automaton automaton, Options options = {});
  explicit Simulator(System system, Options options = {});

  // Throws std::invalid_argument for a start that does not fit the system; otherwise never throws: whatever
  // goes wrong on the way is in Solution::outcome, with everything up to there. An exception of a callback ends the run as
  // user_function_failed, with its message; a field may throw where it has no value, and smaller steps are tried first.
  Solution run(const Run& run) const;

  // begin() begins a run that the caller drives (simulate/live_run.hpp). It throws as run() does.
  LiveRun begin(const Run& run) const;

  const Automaton& automaton() const { return automaton_; }
  // The system of the initial location.
  const System& system() const { return automaton_.system(); }
  const Options& options() const { return options_; }

 private:
  friend class LiveRun;
  Automaton automaton_;
  std::vector<std::shared_ptr<const RelayStructure>> structures_;  // per location
  Options options_;
};

}  // namespace slideway
