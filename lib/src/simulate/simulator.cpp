#include "slideway/simulate/simulator.hpp"

#include <cmath>

#include "simulate/run_engine.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

Simulator::Simulator(System system, Options options)
    : system_(std::move(system)),
      structure_(std::make_shared<const RelayStructure>(system_)),
      options_(std::move(options)) {
  options_.validate(system_.states());
}

Solution Simulator::run(const Run& run) const {
  if (run.state.size() != system_.states()) {
    refuse({.what = "the initial state does not fit the system",
            .where = "Simulator::run, Run::state",
            .expected = std::to_string(system_.states()) + " numbers",
            .got = std::to_string(run.state.size())});
  }
  for (Index i = 0; i < run.state.size(); ++i) {
    if (!std::isfinite(run.state[i])) {
      refuse({.what = "an initial value is not finite",
              .where = "Simulator::run, state '" + system_.state_names()[static_cast<std::size_t>(i)] + "'",
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
  return RunEngine(system_, structure_, options_, run).execute();
}

}  // namespace slideway
