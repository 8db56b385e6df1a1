// A run of a large system in which events are followed where they are.
//
//     macro step    all states with their modes frozen, by a one-step method with dense output
//     scan          which guards may arrive in it (step_scan.hpp)
//     clusters      these and what is around them, each followed over the step by the ordinary engine (clusters.hpp, part_run.hpp),
//                   and grown until its border agrees with the macro step within a part of the tolerances
//     accept        the states and modes of the clusters into those of the step, their events in order of time
//
// A step whose clusters get large is halved. What cannot be followed so, an ambiguous event for one, is followed all at once over the
// step by the ordinary engine, which also decides how the run ends.
// It must not know how events are located or resolved.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "local/clusters.hpp"
#include "local/coupling.hpp"
#include "local/part_run.hpp"
#include "local/step_scan.hpp"
#include "simulate/location_tools.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

// "" where a run can be followed so; else why it cannot, as the end of a sentence.
std::string why_not_local(const Automaton& automaton, const Options& options, const Run& run);
// Whether it is asked for, or likely to pay.
bool wants_local(const Automaton& automaton, const Options& options);

class LocalRun {
 public:
  // The references must outlive the run, which is one that can be followed so.
  LocalRun(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
           const Options& options, const Run& run, FollowAll follow_all);
  Solution execute();

 private:
  enum class Attempt { accepted, crowded, failed };

  // Finds the mode at the start, and fires what fires there. False when the run is over.
  bool begin();
  // Takes a macro step and what happens in it. False when the run is over.
  bool take_step();
  Attempt follow_clusters(double start, double end);
  // Follows these clusters into results_, in several threads where they are many. Results do not depend on that.
  void follow_parts(const std::vector<std::size_t>& clusters, const WholeStep& step,
                    const std::vector<double>& outputs);
  void accept_clusters(const std::vector<PartResult>& results);
  // Follows all states at once up to `end`. False when the run is over.
  bool follow_whole(double end);
  // Follows all states at once from here to the end of the run.
  void follow_rest();
  void adopt(const Solution& part, double end);
  bool restart_stepper(double first_step);
  double step_to_try() const;

  std::vector<double> outputs_within(double start, double end) const;
  void write_outputs(double start, double end, const std::vector<PartResult>& results);
  EventRecord record_of_whole(EventRecord record, const Cluster& cluster) const;
  void report(EventRecord&& record);
  void add_work(const Statistics& work);
  bool too_many(std::size_t more) const;
  Options options_of_part() const;
  void warn_of_silent_events();
  Solution ended();

  const Automaton& automaton_;
  const std::vector<std::shared_ptr<const RelayStructure>>& structures_;
  const Options& options_;
  const Run& run_;
  FollowAll follow_all_;
  const System& system_;
  Coupling coupling_;
  std::unique_ptr<LocationTools> tools_;
  std::unique_ptr<Stepper> stepper_;
  StepScan scan_;
  Clusters clusters_;
  PartRuns parts_;
  std::vector<std::shared_ptr<WholeArguments>> arguments_;  // per thread
  bool is_polynomial_;                                      // guards are polynomials of dense output

  // Where the solution is.
  struct Now {
    double t;
    Vector x, lambda;
    Mode mode;
  };
  // How it goes on.
  struct Pace {
    bool is_stepping = false;  // the stepper is where the solution is
    double longest = 0;        // of the next step; 0 where nothing limits it
    double last = 0;           // the last step
    int whole_steps = 0;       // in a row, with all states followed at once
  };

  Now now_;
  Pace pace_;
  Vector x_end_, weights_;
  std::vector<PartResult> results_;  // of the clusters of the step
  std::size_t next_output_ = 0;
  std::unordered_set<std::string> fired_;  // the names of events that have
  Statistics work_;
  Solution solution_;
};

}  // namespace slideway
