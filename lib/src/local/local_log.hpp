// The log of a run whose events are followed where they are: events, outputs, the recorded trajectory, and what observers are told.
//
// Between two events that come one after the other, wherever they are, a macro step is one piece. Its polynomial holds for all states
// but those of clusters, whose own runs tell them.
// It must not know how clusters are found, nor what ends a run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "local/clusters.hpp"
#include "local/part_run.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

class LocalLog {
 public:
  // The references must outlive the log. `structures` has one entry, of the one location.
  LocalLog(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
           const Options& options, const Run& run);

  Solution& solution() { return solution_; }
  const Solution& solution() const { return solution_; }
  // needs_trajectories_of_parts() returns true if the log needs the trajectories of clusters: PartRuns then
  // records them.
  bool needs_trajectories_of_parts() const { return makes_pieces_; }
  // too_many() returns true if the log would exceed Options::max_events with `more` further events.
  bool too_many(std::size_t more) const;

  // The location of all that follows.
  void set_location(const std::string& location) { location_ = location; }
  // The solution goes on from here in this mode, with new tools.
  void go_on(double t, const Mode& mode);
  // Takes the part that the ordinary engine found of all states at once. Observers have been told already.
  void append_whole(const Solution& part);
  // append_step() takes the step, its clusters and their runs, and the mode at its end. It calls observers,
  // whose exceptions pass.
  void append_step(const WholeStep& step, const Clusters& clusters, const std::vector<PartResult>& results,
                   const Mode& mode_after);

  // Output times in (start, end] that are still to be filled in.
  std::vector<double> outputs_within(double start, double end) const;
  // Fills in those up to `end`, before the step is appended; clusters and results may be of no step. `evaluate` gives states within the
  // step, as if nothing happened in it.
  void write_outputs(const WholeStep& step, const std::function<void(double t, VectorRef x)>& evaluate,
                     const Clusters& clusters, const std::vector<PartResult>& results);
  // Likewise those that the ordinary engine has found, one column for each of outputs_within.
  void take_outputs(const Matrix& outputs);

  // stop_asked() returns true if a callback has returned Answer::stop.
  bool stop_asked() const { return stop_asked_; }
  // Warns of events that are beyond zero at the end and have never fired, as the ordinary engine does.
  void warn_of_silent_events(double t, ConstVectorRef x);
  // The trajectory comes to its end.
  void end(double t, ConstVectorRef x, const Mode& mode);

 private:
  struct Found {
    const EventRecord* record;
    const Cluster* cluster;
  };
  void append_pieces(const WholeStep& step, const Clusters& clusters, const std::vector<PartResult>& results,
                     const std::vector<Found>& found, const Mode& mode_after);
  void share_polynomial(const Interpolant& dense, Trajectory& kept);
  // A piece that has just been added to the end of `kept`.
  void observe(Trajectory& kept, double start, double end, const Mode& mode);
  // `running` is the mode that the records so far have led to; `state` that just before, or nothing.
  EventRecord record_of_whole(const Found& found, const WholeStep& step, const Vector& state,
                              Mode& running) const;
  void report(EventRecord&& record);

  const Automaton& automaton_;
  const Options& options_;
  const Run& run_;
  bool keeps_states_, keeps_modes_, makes_pieces_;
  bool stop_asked_ = false;
  Trajectory::Projection projection_;
  Solution solution_;
  std::string location_ = {};
  std::size_t next_output_ = 0;
  std::unordered_set<std::string> fired_;  // the names of events that have
  Matrix coefficients_;                    // a buffer
};

}  // namespace slideway
