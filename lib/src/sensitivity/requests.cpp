// The quantities to differentiate by, from their names.
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/differentiable_reset.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway {

namespace {

// family_of() serves a model that is not a file: its instances for other values of these parameters.
ExtendedProblem family_of(const Model& model, const Settings& settings, const ModelInstance& instance,
                          const std::vector<std::string>& parameters) {
  Vector values(static_cast<Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    for (const auto& [name, value] : instance.parameters)
      if (name == parameters[k]) values[static_cast<Index>(k)] = value;
  const auto make = [model, settings, parameters](const Vector& of_parameters) {
    Settings changed = settings;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      changed.emplace_back(parameters[k], of_parameters[static_cast<Index>(k)]);
    return model.instantiate(changed);
  };
  try {
    return extend_by_differences(make, values);
  } catch (const std::invalid_argument& error) {
    refuse({.what = "the model has no derivatives by these parameters",
            .where = "the sensitivities of " + model.name,
            .expected = "parameters that may have any value near their own, such as no count",
            .got = error.what()});
  }
}

bool fire_at_same_times(const Automaton& a, const Automaton& b) {
  const std::vector<TimeEvent>& of_a = a.system().time_events();
  const std::vector<TimeEvent>& of_b = b.system().time_events();
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const TimeEvent& one, const TimeEvent& other) {
                      return one.period == other.period && one.offset == other.offset &&
                             one.count == other.count && one.at == other.at;
                    });
}

// moves_times() tells whether some times of an extended problem have derivatives by a parameter.
bool moves_times(const ExtendedProblem& extended, Index parameter) {
  const std::vector<TimeEvent>& events = extended.problem.system().time_events();
  return std::any_of(events.begin(), events.end(), [parameter](const TimeEvent& event) {
    const auto* const reset = event.reset.target<DifferentiableReset>();
    return reset && reset->times() && reset->times()->moved_by(parameter);
  });
}

// Known times may move with a parameter only where the extended problem has them, with their derivatives.
void check_known_times(const Model& model, const Settings& settings, const ModelInstance& instance,
                       const std::vector<std::string>& parameters, const ExtendedProblem& extended) {
  const Automaton problem = instance.problem();
  if (problem.system().time_events().empty()) return;
  const bool has_times = fire_at_same_times(problem, extended.problem);
  constexpr double change = 1e-6;  // of a parameter, or where it is zero by itself
  for (const auto& [name, value] : instance.parameters) {
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) continue;
    bool is_seen = false, is_same = true;
    for (const double side : {1.0, -1.0}) {
      Settings changed = settings;
      changed.emplace_back(name, value + side * change * (value == 0 ? 1 : std::abs(value)));
      try {
        is_same = is_same && fire_at_same_times(problem, model.instantiate(changed).problem());
        is_seen = true;
      } catch (const std::invalid_argument&) {
        // A value that the model does not take tells nothing.
      }
    }
    const auto place = std::find(parameters.begin(), parameters.end(), name) - parameters.begin();
    if (is_seen && (is_same || (has_times && moves_times(extended, place)))) continue;
    refuse({.what = "the times of time events depend on a parameter",
            .where = "the sensitivities of " + model.name,
            .expected = "parameters that known times do not depend on",
            .got = "'" + name + "'",
            .advice = "take differences of runs at a tight tolerance"});
  }
}

}  // namespace

SensitivityRequest by_initial_values(const System& system, const std::vector<std::string>& states) {
  SensitivityRequest request;
  request.names = states;
  request.initial = Matrix::Zero(system.states(), static_cast<Index>(states.size()));
  for (std::size_t k = 0; k < states.size(); ++k)
    request.initial(system.state_index(states[k]), static_cast<Index>(k)) = 1;
  return request;
}

SensitivityRequest sensitivities_by(const Model& model, const Settings& settings,
                                    const ModelInstance& instance, const std::vector<std::string>& names) {
  const std::vector<std::string>& states = instance.system.state_names();
  std::vector<std::string> parameters, known = states;
  std::vector<Index> column_of_parameter;
  SensitivityRequest request;
  request.names = names;
  for (const auto& [name, value] : instance.parameters) known.push_back(name);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) !=
        names.begin() + static_cast<std::ptrdiff_t>(k)) {
      refuse({.what = "a name is given twice",
              .where = "the sensitivities of " + model.name,
              .expected = "each parameter or state once",
              .got = "'" + names[k] + "'"});
    }
    if (std::find(known.begin(), known.end(), names[k]) == known.end()) {
      const std::string near = nearest_name(names[k], known);
      refuse({.what = "neither a parameter nor a state",
              .where = "the sensitivities of " + model.name,
              .expected = "the name of a parameter or of a state, for its initial value",
              .got = "'" + names[k] + "'",
              .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
    }
    if (std::find(states.begin(), states.end(), names[k]) != states.end()) continue;
    parameters.push_back(names[k]);
    column_of_parameter.push_back(static_cast<Index>(k));
  }
  const Index n = instance.system.states();
  const auto count = static_cast<Index>(parameters.size());
  request.initial = Matrix::Zero(n + count, static_cast<Index>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto state = std::find(states.begin(), states.end(), names[k]);
    if (state == states.end()) continue;
    request.initial.col(static_cast<Index>(k)).head(n) =
        model.initial_by ? model.initial_by(settings, names[k])
                         : Vector(Vector::Unit(n, state - states.begin()));
  }
  if (parameters.empty()) {
    request.observe = [instance](const std::vector<std::string>& wanted) {
      return instance.observables(wanted);
    };
    return request;
  }
  const ExtendedProblem extended =
      model.extend ? model.extend(settings, parameters) : family_of(model, settings, instance, parameters);
  check_known_times(model, settings, instance, parameters, extended);
  request.extended = std::make_shared<const Automaton>(extended.problem);
  request.parameters = extended.parameters;
  request.observe = extended.observe;
  for (Index k = 0; k < count; ++k) {
    const Index column = column_of_parameter[static_cast<std::size_t>(k)];
    request.initial.col(column) = extended.initial.col(k);
  }
  return request;
}

}  // namespace slideway
