// One run, behind Simulator::run and LiveRun: the loop
//     choose the stepper of the mode → step → locate (Locator) → decide (ModeManager) → log (RunLog)
// until the run ends. The state that these share is a RunState.
//
// A run may be followed up to any time. The step in hand then goes on beyond it: what comes next in the step is located, and nothing that
// is later has been decided. So the same steps and events follow wherever a run pauses.
//
// It must not know file formats, nor how guards are located, nor what decides the mode.
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "locate/locator.hpp"
#include "log/run_log.hpp"
#include "rules/mode_manager.hpp"
#include "run/core.hpp"
#include "run/step_accuracy.hpp"
#include "run/step_sizes.hpp"
#include "run/stepper_choice.hpp"
#include "simulate/end_warnings.hpp"
#include "simulate/run_state.hpp"
#include "slideway/model/steep_switches.hpp"
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
  // ---- in pieces that a caller asks for
  // The flag ends the run, and may be set by any thread. It must outlive the engine.
  void stop_where(const std::atomic<bool>& is_cancelled) { is_cancelled_ = &is_cancelled; }
  // follow_to() follows the solution to t, what happens at t included, or, where `to_event` says so, to the first event. It is false
  // where the run is over: the outcome says why. A run that is over as stopped_by_caller may be followed on.
  bool follow_to(double t, bool to_event);
  const Outcome& outcome() { return log_.solution().outcome; }
  // reached() tells how far the run has been decided; the state at any t from there to the last pause is within the step in hand.
  double reached() const { return now_.t; }
  void evaluate(double t, Vector& x);
  // so_far() is the solution up to such a t, as a copy.
  Solution so_far(double t);
  // The record that follows begins at t.
  void forget_record(double t);
  // The step in hand ends at such a t, and the next one begins anew.
  void end_step(double t);
  // The state at reached(), where no step is in hand, is this one from there on, as if a time event had set it. False where the run is
  // over.
  bool take_state(const Vector& x);
  // fired_guards() lists the guards that have fired and are zero at t; none where t is not reached().
  std::vector<FiredGuard> fired_guards(double t);
  Solution ended();

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
  // The step that is followed: it has been taken, and its guards are located up to what comes next in it.
  struct StepInHand {
    bool is_taken = false;
    bool is_located = false;
    StepReport report = {};
    double start = 0;
    double scan_end = 0;
    double next = 0;           // when what comes next comes
    bool is_record = false;    // which is records alone
    std::exception_ptr ended;  // or a guard that has no value from there on
  };

  // begins() starts the run where it has not begun. False when the run is over.
  bool begins();
  // finish_instant() makes all actions that are due at this time happen first. False when the run is over.
  bool finish_instant();
  // Freezes the mode, chooses its stepper and starts the locator. False when the run is over.
  bool begin_mode();
  bool arrive(const std::vector<char>& guards);
  bool arrive_at_end(double t);
  // Steps to the next event, or to the end of the run; nothing at a pause.
  std::optional<ModeEnd> follow_mode();
  // Nothing where a step is in hand, or another method is to be tried.
  std::optional<ModeEnd> take_step();
  // Locates what comes next in the step. False where the step is inaccurate there: it is good up to the state.
  bool locate_next();
  // Records on the way are handed out. False when the run is over.
  bool pass_records();
  // Tells whether the limit of a series of events is to be handed out before what comes next in the step.
  bool shows_limit() const;
  double limit_on_the_way() const;
  void pass_limit();
  // Takes what comes next in the step; nothing where the mode goes on.
  std::optional<ModeEnd> reach_next();
  std::optional<ModeEnd> reach_end_of_step();
  void learn_what_is_armed();
  bool is_at_pause() const;
  ModeEnd end_mode_here();
  void leave_mode();
  template <class Function>
  void guarded(const Function& function);
  // True when the run is over, since the caller says so.
  bool stops();
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
  // A solution as it is returned, where the run is at t in this state.
  void complete(double t, const Vector& x, Solution& solution);

  bool has_begun_ = false;
  bool is_in_mode_ = false;
  StepInHand step_;
  double until_ = std::numeric_limits<double>::infinity();
  bool until_event_ = false;
  std::size_t events_before_ = 0;  // in the log, where the run was asked to follow
  const std::atomic<bool>* is_cancelled_ = nullptr;
  EndWarnings end_warnings_ = EndWarnings::all;
  std::int64_t pause_at_ = std::numeric_limits<std::int64_t>::max();  // in steps of the run
  double usual_step_ = 0;  // before the pause; 0 where the run has not gone on from one
  double last_look_;       // t where the run last looked back at how far its steps lead
  StepSizes step_sizes_;
  StepEnds step_ends_;
  StepAccuracy accuracy_;
  Core core_;
  StepFailure failure_ = {};  // of the method of the run, where it last had no step
  double no_careful_step_at_ = std::numeric_limits<double>::quiet_NaN();  // none yet
};

}  // namespace slideway
