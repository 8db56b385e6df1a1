#include "lib/fmi/stepped_model.hpp"

#include <utility>

#include "lib/fmi/fmu_observables.hpp"

namespace slideway::fmi {

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
       .reset = [stepped](double t, ConstVectorRef before, VectorRef after) {
         stepped->pass_event(t, before, after);
       }});
  system.events.push_back(
      {.name = "the FMU ends the run",
       .when = Guard([stepped](double t, ConstVectorRef x) { return stepped->end_guard(t, x); }),
       .direction = Direction::rising,
       .action = Action::stop});
  system.time_events = stepped->communication();
  return System(std::move(system));
}

Observables stepped_observables(const std::shared_ptr<SteppedFmu>& stepped,
                                const std::shared_ptr<const Fmu>& fmu, const System& system,
                                const std::vector<std::string>& wanted) {
  return observables_in(*fmu, system, wanted,
                        [stepped, fmu](double t, ConstVectorRef x, ConstVectorRef,
                                       const std::vector<const Variable*>& variables,
                                       VectorRef values) { stepped->values(t, x, variables, values); });
}

}  // namespace slideway::fmi
