// One run, behind Simulator::run: the loop
//     choose the stepper of the mode → step → locate (Locator) → decide (ModeManager) → log (RunLog)
// until the run ends. The state that these share is a RunState.
//
// It must not know file formats, nor how guards are located, nor what decides the mode.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "locate/locator.hpp"
#include "log/run_log.hpp"
#include "rules/mode_manager.hpp"
#include "run/step_accuracy.hpp"
#include "run/step_sizes.hpp"
#include "run/stepper_choice.hpp"
#include "simulate/end_warnings.hpp"
#include "simulate/run_state.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

class RunEngine {
 public:
  // The references must outlive the engine. `structures` has one entry per location.
  RunEngine(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
            const Options& options, const Run& run);
  Solution execute();
  // Before it is executed: all, unless told otherwise.
  void warn_at_end(EndWarnings warnings) { end_warnings_ = warnings; }
  // The same in pieces, for checkpoints: nothing where the run has come to a pause, after so many more steps at a place where few
  // numbers tell how it goes on.
  std::optional<Solution> execute_until_pause(std::int64_t steps);

  // ---- at a pause, and in an engine that has just been made and is to go on from one
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("state", now_);
    visit("log", log_);
    visit("locator", locator_);
    visit("rules", manager_);
    visit("last_look", last_look_);
    visit("step_sizes", step_sizes_);
    visit("usual_step", usual_step_);
  }
  RunState& now() { return now_; }
  Solution& solution() { return log_.solution(); }
  // Takes up the tools of the place. The fields are loaded next.
  void go_to(const Place& place);
  void go_on();

 private:
  // Freezes the mode, chooses its stepper and starts the locator. False when the run is over.
  bool begin_mode();
  bool arrive(const std::vector<char>& guards);
  bool arrive_at_end(double t);
  // Steps to the next event, or to the end of the run.
  ModeEnd follow_mode();
  enum class Scanned { whole, inaccurate, ends_run };
  // Records on the way are handed out; the arrival that ends the mode is the locator's. A step that is inaccurate at an arrival is good up to the state.
  Scanned scan_step(double end);
  ModeEnd end_where_it_fails();
  // step_carefully() returns false where that does not help. Where it has failed another method may be left.
  bool step_carefully();
  ModeEnd end_where_no_careful_step();
  ModeEnd end_by_failure();
  // end_at_rest() handles sliding that has come to a point in which it stays, between events.
  std::optional<ModeEnd> end_at_rest();
  std::optional<ModeEnd> end_within_step(double step_start, double step_end);
  // True when the run is over, for that.
  bool too_many_steps();

  RunState now_;
  RunLog log_;
  Locator locator_;
  ModeManager manager_;
  StepperChoice stepper_choice_;

  // may_pause() tells whether a pause was asked for by now, and few numbers tell how the run goes on.
  bool may_pause() const;
  // Follows the solution to a pause, which is true, or to the end of the run.
  bool follow();
  Solution ended();

  bool has_begun_ = false;
  EndWarnings end_warnings_ = EndWarnings::all;
  std::int64_t pause_at_ = std::numeric_limits<std::int64_t>::max();  // in steps of the run
  double usual_step_ = 0;  // before the pause; 0 where the run has not gone on from one
  double last_look_;       // t where the run last looked back at how far its steps lead
  StepSizes step_sizes_;
  StepAccuracy accuracy_;
  StepFailure failure_ = {};  // of the method of the run, where it last had no step
  double no_careful_step_at_ = std::numeric_limits<double>::quiet_NaN();  // none yet
};

}  // namespace slideway
