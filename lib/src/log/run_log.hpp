// The log of a run: the events, the outputs at the times that were asked for, the recorded trajectory and the outcome.
//
// It must not know what decides an event.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "simulate/run_state.hpp"
#include "simulate/several_motions.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

class RunLog {
 public:
  // The references must outlive the log. `structures` has one entry per location.
  RunLog(const RunState& now, const std::vector<std::shared_ptr<const RelayStructure>>& structures);

  Solution& solution() { return solution_; }
  const Solution& solution() const { return solution_; }

  // report() adds the location to the record, and keeps it. It calls Options::on_event, whose exceptions pass.
  void report(EventRecord&& record);
  // The last step was the solution on [start, end].
  void append_step(double start, double end);
  // Adds the last step on [start, end] to a trajectory.
  void record_step(double start, double end, Trajectory& trajectory) const;
  // wants_output_by() tells whether an output that was asked for up to t is still to be filled in.
  bool wants_output_by(double t) const {
    return next_output_ < now_.options.output_times.size() && now_.options.output_times[next_output_] <= t;
  }
  // Fills in the outputs that were asked for on [start, end].
  void write_outputs(double start, double end);
  // complete_outputs() fills in those up to t that are missing, where the run is at t in this state.
  void complete_outputs(double t, const Vector& x, Matrix& outputs) const;
  // Forgets what is recorded: the next record begins at t in this state.
  void begin_record(double t, const Vector& x);
  // finish() ends the run. An ambiguous outcome needs its motions: finish_ambiguous() alone makes one, and finish() throws
  // std::logic_error for it.
  void finish(Status status, std::string message);
  void finish_ambiguous(const SeveralMotions& motions, std::string message);
  // Adds a warning unless one with this opening is there already.
  void warn_once(const std::string& opening, std::string warning);
  // True when the run is over, for that.
  bool too_many_events();

  // stop_asked() returns true if a callback has returned Answer::stop since forget_stop().
  bool stop_asked() const { return stop_asked_; }
  void forget_stop() { stop_asked_ = false; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("next_output", next_output_);
  }

 private:
  Trajectory empty_trajectory() const;

  const RunState& now_;
  const std::vector<std::shared_ptr<const RelayStructure>>& structures_;
  Solution solution_;
  std::size_t next_output_ = 0;
  bool stop_asked_ = false;
  double record_start_ = -std::numeric_limits<double>::infinity();
  mutable Vector state_;  // a buffer
};

}  // namespace slideway
