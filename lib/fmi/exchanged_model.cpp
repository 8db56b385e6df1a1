#include "lib/fmi/exchanged_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lib/fmi/fmu_observables.hpp"
#include "model/differentiable_reset.hpp"

namespace slideway::fmi {
namespace {

// The names of indicators that are no names of states or of others.
std::vector<std::string> surface_names(const Description& about) {
  std::vector<std::string> names, taken;
  for (const fmi::State& state : about.states) taken.push_back(state.variable.name);
  for (const std::string& indicator : about.indicators) {
    std::string name = indicator;
    for (int k = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++k)
      name = fmt::format("{} ({})", indicator, k);
    names.push_back(name);
    taken.push_back(name);
  }
  return names;
}

// A guard of the time and the number of the stage alone, with its slope in time.
template <class Value, class Slope>
Guard guard_of_stage(const std::shared_ptr<HybridFmu>& hybrid, const Value& value, const Slope& slope) {
  GuardFunctions functions;
  functions.value = [hybrid, value](double t, ConstVectorRef x) { return value(*hybrid, t, x); };
  functions.rate = [hybrid, slope](double, ConstVectorRef x, double t_dot, ConstVectorRef,
                                   GuardFunctions::States) { return slope(*hybrid, x) * t_dot; };
  functions.mixed = [](double, ConstVectorRef, double, ConstVectorRef, double, ConstVectorRef, ConstVectorRef,
                       GuardFunctions::States) { return 0.0; };
  functions.running_error = [](double t, ConstVectorRef) { return std::abs(t); };
  functions.shape = [stage = hybrid->continuous()](Index) -> std::optional<GuardShape> {
    return GuardShape{.states = {stage}};
  };
  return Guard(std::move(functions));
}

Guard guard_of_indicator(const std::shared_ptr<HybridFmu>& hybrid, Index indicator) {
  GuardFunctions functions;
  functions.value = [hybrid, indicator](double t, ConstVectorRef x) {
    return hybrid->event_guard(indicator, t, x);
  };
  functions.slopes = [hybrid, indicator](double t, ConstVectorRef x, const std::vector<Index>& states,
                                         std::vector<double>& slopes) {
    hybrid->event_slopes(indicator, t, x, states, slopes);
  };
  functions.running_error = [hybrid, indicator](double t, ConstVectorRef x) {
    return hybrid->running_error(indicator, t, x);
  };
  return Guard(std::move(functions));
}

ResetFunction reset_of(const std::shared_ptr<HybridFmu>& hybrid, const HybridFmu::Fire& fire) {
  return DifferentiableReset::of_numbered_states(
      [hybrid, fire](double t, ConstVectorRef before, VectorRef after) { fire(t, before, after); },
      [hybrid, fire](double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot,
                     VectorRef after, VectorRef after_dot) {
        hybrid->fire_along(fire, t, before, t_dot, before_dot, after, after_dot);
      });
}

}  // namespace

System exchanged_system(const std::shared_ptr<HybridFmu>& hybrid, const std::string& name,
                        const std::vector<std::string>& state_names, const Description& about,
                        const Inputs& inputs) {
  SystemDefinition system;
  system.name = name;
  system.states = hybrid->continuous() + 1;
  system.surfaces = hybrid->indicators();
  system.state_names = state_names;
  system.surface_names = surface_names(about);
  system.discrete = 1;
  system.field = [hybrid](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    hybrid->field(t, x, lambda, dx);
  };
  system.guards = [hybrid](double t, ConstVectorRef x, VectorRef h) { hybrid->surfaces(t, x, h); };
  if (about.has_directional_derivatives)
    system.field_dx = [hybrid](double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative) {
      hybrid->field_by_states(t, x, lambda, derivative);
    };
  system.guards_running_error = [hybrid](double t, ConstVectorRef x, VectorRef errors) {
    for (Index j = 0; j < errors.size(); ++j) errors[j] = hybrid->running_error(j, t, x);
  };
  for (Index j = 0; j < hybrid->indicators(); ++j)
    system.events.push_back(
        {.name = system.surface_names[static_cast<std::size_t>(j)],
         .when = guard_of_indicator(hybrid, j),
         .direction = Direction::falling,
         .action = Action::reset,
         .reset = reset_of(hybrid, [h = hybrid.get(), j](double t, ConstVectorRef before, VectorRef after) {
           h->fire(j, t, before, after);
         })});
  system.events.push_back(
      {.name = "time event",
       .when = guard_of_stage(
           hybrid, [](HybridFmu& of, double t, ConstVectorRef x) { return of.time_guard(t, x); },
           [](HybridFmu& of, ConstVectorRef x) { return of.has_time_event(x) ? 1.0 : 0.0; }),
       .direction = Direction::rising,
       .action = Action::reset,
       .reset = reset_of(hybrid, [h = hybrid.get()](double t, ConstVectorRef before, VectorRef after) {
         h->fire_time(t, before, after);
       })});
  system.events.push_back(
      {.name = "the FMU ends the run",
       .when = guard_of_stage(
           hybrid, [](HybridFmu& of, double, ConstVectorRef x) { return of.end_guard(x); },
           [](HybridFmu&, ConstVectorRef) { return 0.0; }),
       .direction = Direction::rising,
       .action = Action::stop});
  // A step of the integrator ends where an input bends.
  if (const std::vector<double> knots = inputs.knots(); !knots.empty())
    system.time_events.push_back(
        {.name = "inputs",
         .at = knots,
         .reset = reset_of(hybrid, [h = hybrid.get()](double t, ConstVectorRef before, VectorRef after) {
           h->fire_inputs(t, before, after);
         })});
  return System(std::move(system));
}

Observables ExchangedVariables::operator()(const std::vector<std::string>& wanted) const {
  return observables_in(
      *fmu, system, wanted,
      [hybrid = hybrid, fmu = fmu](double t, ConstVectorRef x, ConstVectorRef lambda,
                                   const std::vector<const Variable*>& variables,
                                   VectorRef values) { hybrid->values(t, x, lambda, variables, values); });
}

}  // namespace slideway::fmi
