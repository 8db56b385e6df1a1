#include "apps/stoppable.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace slideway::apps {

namespace {

void go_on(const StopQuestion& is_asked) {
  if (is_asked()) throw std::invalid_argument("the search was interrupted");
}

System stoppable_system(const System& system, const StopQuestion& is_asked) {
  SystemDefinition definition = system.definition();
  definition.field = [field = std::move(definition.field), is_asked](double t, ConstVectorRef x,
                                                                     ConstVectorRef lambda, VectorRef dx) {
    go_on(is_asked);
    field(t, x, lambda, dx);
  };
  return System(std::move(definition));
}

}  // namespace

Automaton stoppable(const Automaton& automaton, const StopQuestion& is_asked) {
  if (!automaton.has_locations()) return stoppable_system(automaton.system(), is_asked);
  std::vector<Location> locations;
  for (const Location& location : automaton.locations())
    locations.push_back({.name = location.name, .system = stoppable_system(location.system, is_asked)});
  const std::string& initial = automaton.locations()[automaton.initial()].name;
  return Automaton(std::move(locations), automaton.edges(), initial);
}

ModelInstance stoppable(ModelInstance instance, const StopQuestion& is_asked) {
  instance.system = stoppable_system(instance.system, is_asked);
  if (instance.automaton) instance.automaton = stoppable(*instance.automaton, is_asked);
  return instance;
}

Model stoppable(const Model& model, const StopQuestion& is_asked) {
  Model made = model;
  made.instantiate = [instantiate = model.instantiate, is_asked](const Settings& settings) {
    return stoppable(instantiate(settings), is_asked);
  };
  if (model.extend) {
    made.extend = [extend = model.extend, is_asked](const Settings& settings,
                                                    const std::vector<std::string>& parameters) {
      ExtendedProblem problem = extend(settings, parameters);
      problem.problem = stoppable(problem.problem, is_asked);
      return problem;
    };
  }
  return made;
}

}  // namespace slideway::apps
