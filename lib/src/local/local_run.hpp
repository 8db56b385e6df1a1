// A run of a large system in which events are followed where they are.
//
//     macro step    all states with their modes frozen, by a one-step method with dense output: by RODAS where they are stiff
//     scan          which guards may arrive in it (step_scan.hpp)
//     clusters      these and what is around them, each followed over the step by the ordinary engine (clusters.hpp, part_run.hpp),
//                   and grown until its border agrees with the macro step within a part of the tolerances
//     accept        the states and modes of the clusters into those of the step, their events in order of time
//
// Something global (coupling.hpp), as the sign of a mean or an edge between locations, has no place: steps are shortened until one comes near to its event, which all
// states are followed through at once; likewise while it slides.
// A step whose clusters get large is halved. A step that cannot be followed so, because of an ambiguous event for one, is followed as a whole
// by the ordinary engine, which also decides how the run ends.
// It must not know how events are located or resolved.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/constants.hpp"
#include "local/factors.hpp"
#include "local/local_log.hpp"
#include "local/local_place.hpp"
#include "local/part_run.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

// "" where a run can be followed so; else why it cannot, as the end of a sentence.
std::string why_not_local(const Automaton& automaton, const Options& options, const Run& run);
// wants_local() tells whether it is asked for. LocalEvents::automatic does not ask: events may be missing from such runs.
bool wants_local(const Options& options);

class LocalRun {
 public:
  // The references must outlive the run, which is one that can be followed so.
  LocalRun(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
           const Options& options, const Run& run, FollowAll follow_all);
  Solution execute();

 private:
  // The result of an attempt to take a step.
  enum class Attempt {
    accepted,
    crowded,  // a cluster holds too many surfaces and events
    global,   // the event of something global may lie in the step
    failed    // the ordinary engine has to follow all states
  };

  // begin() finds the mode at the start, and fires what fires there. It returns false when the run is over.
  bool begin();
  // take_step() takes a macro step and what happens in it. It returns false when the run is over.
  bool take_step();
  Attempt follow_clusters(double start, double end);
  // global_guards_stay_clear() returns true if no global guard can reach zero in the step. The guards are
  // evaluated with the states of the clusters, which replace those of the macro step.
  bool global_guards_stay_clear();
  // slides_globally() returns true while the solution slides on something global, or between two locations.
  bool slides_globally() const;
  // fill_lambda() sets λ of the surfaces to their sides in the mode.
  void fill_lambda();
  // slides_in_second_order() tells whether a mode of these surfaces has one slide whose relay has no effect on
  // it, which takes more than this engine knows.
  bool slides_in_second_order(const Mode& mode, const std::vector<Index>& surfaces) const;
  // acts_within() tells whether a delayed action acts up to `end`.
  static bool acts_within(const PendingAction& action, double end);
  // Follows these clusters into results_, in several threads where they are many. Results do not depend on that.
  void follow_parts(const std::vector<std::size_t>& clusters, const WholeStep& step,
                    const std::vector<double>& outputs);
  void accept_clusters(double start, double end);
  // follow_whole() follows all states at once up to `end`. It returns false when the run is over.
  bool follow_whole(double end);
  // Takes what the ordinary engine found of all states at once, up to `end`.
  void adopt(const Solution& part, double end);
  bool restart_stepper(double first_step);
  // go_on_as_stiff() makes the macro steps those of RODAS from here on. It returns false when the run is over.
  bool go_on_as_stiff();
  // The tools of a location, made when it is first entered.
  LocalPlace& place(std::size_t location);
  void enter(const std::string& location);
  bool is_stiff() const { return pace_.method == Method::rodas; }
  double step_to_try() const;
  // comes_to_known_time() makes known_ the first known time from here on, and tells whether it is near.
  bool comes_to_known_time();

  Options options_of_part() const;
  Solution ended();

  const Automaton& automaton_;
  const std::vector<std::shared_ptr<const RelayStructure>>& structures_;
  const Options& options_;
  const Run& run_;
  FollowAll follow_all_;
  LocalLog log_;
  std::vector<std::unique_ptr<LocalPlace>> places_;  // per location; null for one that has not been entered
  LocalPlace* here_ = nullptr;                       // the last location
  bool is_between_ = false;                          // the solution slides between two locations
  std::vector<PartTools> part_tools_;                // per thread

  // Now tells where the solution is.
  struct Now {
    double t;
    Vector x, lambda;
    Mode mode;                                // contacts after surfaces
    std::vector<PendingAction> pending = {};  // delayed actions on their way
    std::string location = {};                // a name, or that of two between which it slides
  };
  // Pace tells how the solution goes on.
  struct Pace {
    Method method = Method::automatic;  // of macro steps
    int reach = kFirstReach;            // with which clusters begin, in derivatives
    bool is_stepping = false;           // the stepper is where the solution is
    double longest = 0;                 // of the next step; 0 where nothing limits it
    double last = 0;                    // the last step
    double usual = 0;                   // the last step before something global came near
    int whole_steps = 0;                // in a row, with all states followed at once
    // A step that ends here, or later, has had clusters that are too large; infinity where none has since steps came by there. The first
    // one of these was so long.
    double crowded_end = kInfinity;
    double crowded_step = 0;
  };

  // The next time at which something happens that is known beforehand; infinity where there is none. Steps end at `until`, shortly
  // before, and all states are followed at once through it.
  struct Known {
    double time = -kInfinity;
    double until = -kInfinity;
  };

  Now now_;
  Pace pace_;
  Known known_;
  Vector x_end_, weights_;
  Mode mode_before_;                 // the last step
  std::vector<PartResult> results_;  // of the clusters of the step
  Statistics work_;
  Outcome outcome_;
};

}  // namespace slideway
