#include "lib/fmi/stepped_model.hpp"

#include <stdexcept>
#include <utility>

#include "lib/fmi/fmu_observables.hpp"
#include "model/differentiable_reset.hpp"

namespace slideway::fmi {
namespace {

ResetFunction without_derivatives(ResetFunction reset) {
  return DifferentiableReset::of_numbered_states(std::move(reset), [](double, ConstVectorRef, double,
                                                                      ConstVectorRef, VectorRef, VectorRef) {
    throw std::domain_error(
        "an FMU of Co-Simulation steps by itself, and tells no derivatives of what it does: Model Exchange "
        "does");
  });
}

}  // namespace

System stepped_system(const std::shared_ptr<SteppedFmu>& stepped, const std::string& name,
                      const std::vector<std::string>& state_names) {
  SystemDefinition system;
  system.name = name;
  system.states = static_cast<Index>(state_names.size());
  system.state_names = state_names;
  system.discrete = system.states - stepped->continuous();
  system.field = [stepped](double t, ConstVectorRef x, ConstVectorRef, VectorRef dx) {
    stepped->field(t, x, dx);
  };
  // On a step nothing depends on the state.
  system.field_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  system.events.push_back(
      {.name = "event",
       .when = Guard([stepped](double t, ConstVectorRef x) { return stepped->event_guard(t, x); }),
       .direction = Direction::rising,
       .action = Action::reset,
       .reset = without_derivatives([stepped](double t, ConstVectorRef before, VectorRef after) {
         stepped->pass_event(t, before, after);
       })});
  system.events.push_back(
      {.name = "the FMU ends the run",
       .when = Guard([stepped](double t, ConstVectorRef x) { return stepped->end_guard(t, x); }),
       .direction = Direction::rising,
       .action = Action::stop});
  system.time_events = stepped->communication();
  for (TimeEvent& event : system.time_events) event.reset = without_derivatives(std::move(event.reset));
  return System(std::move(system));
}

Observables SteppedVariables::operator()(const std::vector<std::string>& wanted) const {
  return observables_in(
      *fmu, system, wanted,
      [stepped = stepped, fmu = fmu](double t, ConstVectorRef x, ConstVectorRef,
                                     const std::vector<const Variable*>& variables,
                                     VectorRef values) { stepped->values(t, x, variables, values); });
}

}  // namespace slideway::fmi
