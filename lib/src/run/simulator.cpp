#include "slideway/simulate/simulator.hpp"

#include <algorithm>
#include <chrono>

#include "local/local_run.hpp"
#include "run/check_run.hpp"
#include "run/run_engine.hpp"
#include "sensitivity/differentiate.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// The derivatives are found along the recorded solution, so that this is the one that a run without them finds.
Solution run_differentiated(const Automaton& automaton,
                            const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                            const Options& options, const Run& run) {
  Options recorded = options;
  recorded.recording = Recording::dense;
  Solution solution = RunEngine(automaton, structures, recorded, run).execute();
  const auto began = std::chrono::steady_clock::now();
  const std::shared_ptr<Sensitivities> found = differentiate(automaton, structures, options, run, solution);
  if (options.recording == Recording::nothing) {
    found->forget_pieces();
    Trajectory end(run.state.size(), {});
    end.begin_segment(solution.final.t, solution.final.mode, solution.final.location);
    end.add_point(solution.final.t, solution.final.state);
    solution.trajectory = std::move(end);
  }
  solution.sensitivities = found;
  solution.statistics.wall_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return solution;
}

Solution follow_all(const Automaton& automaton,
                    const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                    const Options& options, const Run& run) {
  return RunEngine(automaton, structures, options, run).execute();
}

// Jumps at known times have no derivatives here: none is better than a wrong one.
void refuse_known_times(const Automaton& automaton) {
  std::string got;
  const auto delays = [](const auto& one) { return one.delay.time > 0; };
  for (const Location& location : automaton.locations()) {
    const std::vector<Event>& events = location.system.events();
    if (!location.system.time_events().empty()) got = "time events";
    if (std::any_of(events.begin(), events.end(), delays)) got = "a delayed reset";
  }
  if (std::any_of(automaton.edges().begin(), automaton.edges().end(), delays)) got = "a delayed edge";
  if (got.empty()) return;
  refuse({.what = "sensitivities of what acts at known times are not available",
          .where = "Options::sensitivities",
          .expected = "a system without time events, sampled inputs and delays",
          .got = got,
          .advice = "take differences of runs at a tight tolerance"});
}

}  // namespace

Simulator::Simulator(Automaton automaton, Options options)
    : automaton_(std::move(automaton)), options_(std::move(options)) {
  for (const Location& location : automaton_.locations()) {
    structures_.push_back(std::make_shared<const RelayStructure>(location.system));
  }
  options_.validate(system().states());
  if (!options_.sensitivities.empty()) refuse_known_times(automaton_);
}

Simulator::Simulator(System system, Options options)
    : Simulator(Automaton(std::move(system)), std::move(options)) {}

Solution Simulator::run(const Run& run) const {
  check_run(automaton_, options_, run);
  std::string why_not;
  if (wants_local(automaton_, options_)) {
    why_not = why_not_local(automaton_, options_, run);
    if (why_not.empty()) return LocalRun(automaton_, structures_, options_, run, follow_all).execute();
  }
  if (!why_not.empty() && options_.local_events == LocalEvents::on) {
    Options global = options_;
    global.local_events = LocalEvents::off;
    Solution solution = Simulator(automaton_, std::move(global)).run(run);
    solution.warnings.push_back("events were not followed locally, since " + why_not);
    return solution;
  }
  if (options_.sensitivities.empty()) return RunEngine(automaton_, structures_, options_, run).execute();
  return run_differentiated(automaton_, structures_, options_, run);
}

}  // namespace slideway
