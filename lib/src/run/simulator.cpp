#include "slideway/simulate/simulator.hpp"

#include <chrono>

#include "local/local_run.hpp"
#include "run/check_run.hpp"
#include "run/run_engine.hpp"
#include "sensitivity/differentiate.hpp"
#include "sensitivity/without_derivatives.hpp"

namespace slideway {

namespace {

// The derivatives are found along the recorded solution, so that this is the one that a run without them finds. `follow` makes that
// run with the options it is given.
template <class Follow>
Solution run_differentiated(const Automaton& automaton,
                            const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                            const Options& options, const Run& run, const Follow& follow) {
  Options recorded = options;
  recorded.recording = Recording::dense;
  recorded.sensitivities = {};
  Solution solution = follow(recorded);
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
                    const Options& options, const Run& run, EndWarnings warnings) {
  RunEngine engine(automaton, structures, options, run);
  engine.warn_at_end(warnings);
  return engine.execute();
}

}  // namespace

Simulator::Simulator(Automaton automaton, Options options)
    : automaton_(std::move(automaton)), options_(std::move(options)) {
  for (const Location& location : automaton_.locations()) {
    structures_.push_back(std::make_shared<const RelayStructure>(location.system));
  }
  options_.validate(system().states());
  if (!options_.sensitivities.empty()) refuse_without_derivatives(automaton_);
}

Simulator::Simulator(System system, Options options)
    : Simulator(Automaton(std::move(system)), std::move(options)) {}

Solution Simulator::run(const Run& run) const {
  check_run(automaton_, options_, run);
  std::string why_not;
  bool is_local = false;
  if (wants_local(options_)) {
    why_not = why_not_local(automaton_, options_, run);
    is_local = why_not.empty();
  }
  if (!why_not.empty() && options_.local_events == LocalEvents::on) {
    Options global = options_;
    global.local_events = LocalEvents::off;
    Solution solution = Simulator(automaton_, std::move(global)).run(run);
    solution.warnings.push_back("events were not followed locally, since " + why_not);
    return solution;
  }
  const auto follow = [&](const Options& options) {
    if (is_local) return LocalRun(automaton_, structures_, options, run, follow_all).execute();
    return RunEngine(automaton_, structures_, options, run).execute();
  };
  if (options_.sensitivities.empty()) return follow(options_);
  return run_differentiated(automaton_, structures_, options_, run, follow);
}

}  // namespace slideway
