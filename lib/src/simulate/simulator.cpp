#include "slideway/simulate/simulator.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/run_engine.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

Simulator::Simulator(Automaton automaton, Options options)
    : automaton_(std::move(automaton)), options_(std::move(options)) {
  for (const Location& location : automaton_.locations()) {
    structures_.push_back(std::make_shared<const RelayStructure>(location.system));
  }
  options_.validate(system().states());
}

Simulator::Simulator(System system, Options options)
    : Simulator(Automaton(std::move(system)), std::move(options)) {}

Solution Simulator::run(const Run& run) const {
  if (run.state.size() != system().states()) {
    refuse({.what = "the initial state does not fit the system",
            .where = "Simulator::run, Run::state",
            .expected = std::to_string(system().states()) + " numbers",
            .got = std::to_string(run.state.size())});
  }
  for (Index i = 0; i < run.state.size(); ++i) {
    if (!std::isfinite(run.state[i])) {
      refuse({.what = "an initial value is not finite",
              .where = "Simulator::run, state '" + system().state_names()[static_cast<std::size_t>(i)] + "'",
              .expected = "a finite number",
              .got = std::to_string(run.state[i])});
    }
  }
  if (!std::isfinite(run.start) || !std::isfinite(run.end) || !(run.end >= run.start)) {
    refuse({.what = "the time span makes no sense",
            .where = "Simulator::run, Run::start and Run::end",
            .expected = "finite times with start <= end",
            .got = std::to_string(run.start) + " and " + std::to_string(run.end)});
  }
  const std::size_t location =
      run.location.empty() ? automaton_.initial() : automaton_.location_index(run.location);
  const System& begun = automaton_.locations()[location].system;
  const Index characters = begun.surfaces() + static_cast<Index>(begun.contacts().size());
  if (run.mode && run.mode->size() != characters) {
    refuse({.what = "the mode to begin in does not fit the system",
            .where = "Simulator::run, Run::mode",
            .expected = std::to_string(characters) + " characters, one per surface and contact",
            .got = "\"" + run.mode->word() + "\""});
  }
  for (const Contact& contact : begun.contacts()) {
    const double gap = contact.gap.value(run.start, run.state);
    if (gap >= -1e-9 * std::max(1.0, run.state.lpNorm<Eigen::Infinity>())) continue;
    refuse({.what = "the initial state violates contact '" + contact.name + "'",
            .where = "Simulator::run, Run::state",
            .expected = "a gap >= 0",
            .got = std::to_string(gap)});
  }
  return RunEngine(automaton_, structures_, options_, run).execute();
}

}  // namespace slideway
