#include "model/numbered_states.hpp"

#include <algorithm>

#include "model/differentiable_reset.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

Index numbered_states(const Automaton& problem) {
  const auto numbers = [](const auto& event) {
    const auto* const reset = event.reset.template target<DifferentiableReset>();
    return reset != nullptr && reset->compares_neighbours();
  };
  const System& system = problem.system();
  const bool any = std::any_of(system.events().begin(), system.events().end(), numbers) ||
                   std::any_of(system.time_events().begin(), system.time_events().end(), numbers);
  return any ? 1 : 0;
}

void refuse_numbered_states(const Automaton& problem, const std::string& what) {
  if (numbered_states(problem) == 0) return;
  refuse(
      {.what = what + " of an FMU are not found: what it remembers of its events is no part of the state, so "
                      "that nothing tells when a solution comes back",
       .where = problem.system().name(),
       .expected = "a model file, a model of the catalogue or functions",
       .got = "the FMU's number of events, '" + problem.system().state_names().back() + "', among the states",
       .advice = "runs, sweeps, sensitivities by initial values and Lyapunov exponents are had of FMUs"});
}

}  // namespace slideway
