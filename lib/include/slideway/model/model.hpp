// A model as a user meets it: a name, equations as text, parameters and states with defaults, and a way to
// make a System of them. The catalogue (models/) and the reader of model files (io/model_file) both produce it.
//
// It must not know integrators, files or the command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/model/friction_element.hpp"
#include "slideway/model/observables.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// A parameter, or the initial value of a state, set by the user: name and value.
using Settings = std::vector<std::pair<std::string, double>>;

struct Parameter {
  std::string name = {};
  double value = 0;
  std::string description = {};
};

// A model with every parameter and initial value fixed: what a Simulator needs to run.
struct ModelInstance {
  System system;             // with locations, that of the initial one: it has the sizes and names of all
  Settings parameters = {};  // name and value used, in the model's order
  double start = 0;
  double end = 0;
  Vector state = {};                           // n initial values
  std::optional<Automaton> automaton = {};     // of a model with locations
  std::vector<FrictionElement> friction = {};  // the forces whose passivity can be looked at
  // The quantities to be seen beside the states, "F" or "E = 0.5*v^2", where the model knows more than observables_of() does.
  // Throws std::invalid_argument for a name or formula without meaning here.
  std::function<Observables(const std::vector<std::string>&)> observe = {};

  // The automaton to simulate.
  Automaton problem() const { return automaton ? *automaton : Automaton(system); }
  // The quantities to be seen beside the states. Throws std::invalid_argument for a name without meaning here.
  Observables observables(const std::vector<std::string>& wanted) const {
    return observe ? observe(wanted) : observables_of(system, wanted, friction);
  }
};

// A problem with some of its parameters as further states, behind those it has, whose derivatives are 0.
struct ExtendedProblem {
  Automaton problem;
  Vector parameters = {};  // the values of these states
  // (n + k) × k: the derivatives of the n initial values, and of the k parameters, by each parameter. A parameter with a formula moves
  // with the parameters of the formula.
  Matrix initial = {};
  std::function<Observables(const std::vector<std::string>&)> observe = {};  // of the extended states
};

// The defaults that a model file may suggest in [options]; empty strings mean "not given".
struct ModelDefaults {
  double rtol = 0;                // 0: not given
  std::vector<double> atol = {};  // empty: not given; one number, or one per state
  std::string method = {};
  std::string on_ambiguity = {};
  std::string sliding_rule = {};
  std::string linear_solver = {};
  std::string selection = {};
  std::vector<std::string> observe = {};
  double max_step = 0;   // 0: not given
  Index max_events = 0;  // 0: not given
  Index max_steps = 0;   // 0: not given
};

struct Model {
  std::string name = {};
  std::string summary = {};                 // one line
  std::string source = {};                  // where the model comes from
  std::vector<std::string> equations = {};  // as the user would write them, one line each
  std::vector<Parameter> parameters = {};   // defaults
  std::vector<std::string> state_names = {};
  ModelDefaults defaults = {};
  std::vector<std::string> remarks = {};  // on what is probably not meant, a sentence each

  // Applies the settings (later ones win) to the defaults and builds the system. Throws
  // std::invalid_argument for an unknown name (with the nearest one) or a value the model refuses.
  std::function<ModelInstance(const Settings&)> instantiate = {};
  // extend() returns the model with the parameters of these names as states, for derivatives by them. It throws
  // std::invalid_argument for a parameter that the shape of the equations depends on. Derivatives by parameters
  // come from differences of instances without it.
  std::function<ExtendedProblem(const Settings&, const std::vector<std::string>& parameters)> extend = {};
  // initial_by() returns the derivatives of all initial values by that of a state, where some are made of
  // others. They are independent without it.
  std::function<Vector(const Settings&, const std::string& state)> initial_by = {};
};

// The known name with the smallest edit distance to `name`, or "" when none is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace slideway
