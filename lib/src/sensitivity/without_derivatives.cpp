#include "sensitivity/without_derivatives.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "model/refuse_cones.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

void refuse_without_derivatives(const Automaton& automaton) {
  refuse_cone_friction(automaton, "sensitivities");
  std::string got;
  const auto delays = [](const auto& one) { return one.delay.time > 0; };
  for (const Location& location : automaton.locations()) {
    const std::vector<Event>& events = location.system.events();
    if (std::any_of(events.begin(), events.end(), delays)) got = "a delayed reset";
  }
  if (std::any_of(automaton.edges().begin(), automaton.edges().end(), delays)) got = "a delayed edge";
  if (got.empty()) return;
  refuse({.what = "sensitivities of what acts after a delay are not available",
          .where = "Options::sensitivities",
          .expected = "a system without delays",
          .got = got,
          .advice = "take differences of runs at a tight tolerance"});
}

}  // namespace slideway
