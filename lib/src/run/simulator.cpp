#include "slideway/simulate/simulator.hpp"

#include "run/check_run.hpp"
#include "run/run_engine.hpp"

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
  check_run(automaton_, options_, run);
  return RunEngine(automaton_, structures_, options_, run).execute();
}

}  // namespace slideway
