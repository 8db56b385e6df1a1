#include "slideway/fmi/import.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lib/fmi/exchanged_model.hpp"
#include "lib/fmi/stepped_model.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/settings.hpp"

namespace slideway {
namespace {

using fmi::Description;
using fmi::Fmu;
using fmi::Role;
using fmi::Type;
using fmi::Variable;

bool is_number(const Variable& variable) {
  return variable.type != Type::text && variable.type != Type::binary;
}

// Parameters and inputs are set before a run.
bool is_parameter(const Variable& variable) {
  return is_number(variable) && variable.is_settable_at_start &&
         (variable.role == Role::parameter || variable.role == Role::structural ||
          variable.role == Role::input);
}

std::string described(const Variable& variable) {
  std::string text = variable.description;
  if (variable.role == Role::input) text = text.empty() ? "input, constant" : text + " (input, constant)";
  if (variable.role == Role::structural) text = text.empty() ? "structural" : text + " (structural)";
  if (variable.unit.empty()) return text;
  return text.empty() ? fmt::format("[{}]", variable.unit) : fmt::format("{} [{}]", text, variable.unit);
}

std::string stage_name(const Description& about) {
  std::string name = "stage";
  const auto is_taken = [&](const Variable& variable) { return variable.name == name; };
  while (std::any_of(about.variables.begin(), about.variables.end(), is_taken)) name += "_";
  return name;
}

// The instances of an FMU that allows for one at a time.
class OnlyOne {
 public:
  void check(const Fmu& fmu) {
    const std::lock_guard lock(mutex_);
    if (fmu.description().only_one_instance && !alive_.expired())
      refuse({.what = "this FMU can be instantiated only once at a time",
              .where = fmu.file(),
              .expected = "one run after the other, in one thread"});
  }
  void set(const std::shared_ptr<const void>& instance) {
    const std::lock_guard lock(mutex_);
    alive_ = instance;
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<const void> alive_;
};

const Variable& settable_variable(const Fmu& fmu, const std::string& name) {
  const auto& all = fmu.description().variables;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Variable& variable) { return variable.name == name; });
  if (!found->is_settable_at_start)
    refuse({.what = "the FMU computes this start value by itself",
            .where = fmu.file() + ", '" + name + "'",
            .expected = "a parameter, or a state whose 'initial' is \"exact\""});
  return *found;
}

bool is_exchanged(const Description& about) { return about.kind == fmi::Kind::model_exchange; }

// The variables that become states, before the number of the stage.
std::vector<const Variable*> state_variables(const Description& about) {
  if (!is_exchanged(about)) return fmi::stepped_variables(about);
  std::vector<const Variable*> states;
  for (const fmi::State& state : about.states) states.push_back(&state.variable);
  return states;
}

double end_of(const Description& about) {
  const double start = about.start.value_or(0);
  return std::max(start, about.end.value_or(start + 1));
}

double communication_step(const Fmu& fmu) {
  constexpr double steps_of_run = 1000;
  const Description& about = fmu.description();
  const double start = about.start.value_or(0);
  const double step =
      fmu.how().communication_step.value_or(about.step.value_or((end_of(about) - start) / steps_of_run));
  if (!(step > 0) || !std::isfinite(step))
    refuse({.what = "the communication step makes no sense",
            .where = fmu.file(),
            .expected = "a number above 0",
            .got = fmt::format("{}", step)});
  return step;
}

void tolerances(const Description& about, ModelDefaults& defaults) {
  if (about.tolerance && *about.tolerance > 0 && *about.tolerance < 1) defaults.rtol = *about.tolerance;
  const auto has_nominal = [](const fmi::State& state) { return state.variable.nominal.has_value(); };
  if (std::none_of(about.states.begin(), about.states.end(), has_nominal)) return;
  constexpr double usual_tolerance = 1e-6, part_of_nominal = 0.01;
  const double rtol = defaults.rtol > 0 ? defaults.rtol : usual_tolerance;
  for (const fmi::State& state : about.states)
    defaults.atol.push_back(part_of_nominal * rtol * std::abs(state.variable.nominal.value_or(1)));
  // A run may have another number of states: the least tolerance is that of all.
  if (about.has_sized_states) {
    defaults.atol = {*std::min_element(defaults.atol.begin(), defaults.atol.end())};
    return;
  }
  defaults.atol.push_back(part_of_nominal * rtol);
}

Model described_model(const Fmu& fmu) {
  const Description& about = fmu.description();
  Model model;
  model.name = about.model_name;
  const char* const version = about.version == fmi::Version::two ? "2.0" : "3.0";
  model.summary = about.description.empty()
                      ? fmt::format("an FMU of FMI {}", version)
                      : fmt::format("{} (an FMU of FMI {})", about.description, version);
  model.source = about.tool;
  if (is_exchanged(about)) {
    model.equations.push_back(
        fmt::format("the equations are in the FMU: Model Exchange, {} continuous states, {} event indicators",
                    about.states.size(), about.indicators.size()));
    tolerances(about, model.defaults);
  } else {
    model.equations.push_back(fmt::format(
        "the FMU steps by itself: Co-Simulation, a communication point every {}", communication_step(fmu)));
  }
  for (const Variable& variable : about.variables)
    if (is_parameter(variable) && variable.start)
      model.parameters.push_back({variable.name, *variable.start, described(variable)});
  for (const Variable* const state : state_variables(about)) model.state_names.push_back(state->name);
  model.state_names.push_back(stage_name(about));
  return model;
}

// The start values of these settings; `parameters` get those that are parameters of the model.
fmi::StartValues start_values(const Fmu& fmu, const Model& description, const Settings& settings,
                              Settings& parameters) {
  std::vector<std::string> known;
  for (const Parameter& parameter : description.parameters)
    parameters.emplace_back(parameter.name, parameter.value);
  for (const Variable& variable : fmu.description().variables)
    if (is_parameter(variable)) known.push_back(variable.name);
  known.insert(known.end(), description.state_names.begin(), description.state_names.end() - 1);
  fmi::StartValues values;
  for (const auto& [name, value] : settings) {
    check_setting(description.name, name, value, known);
    const Variable& variable = settable_variable(fmu, name);
    // An instance has been told these before all else.
    if (variable.role != Role::structural) values.emplace_back(&variable, value);
    for (auto& [parameter, used] : parameters)
      if (parameter == name) used = value;
  }
  return values;
}

// The FMU with the structural parameters that are set, or itself.
std::shared_ptr<const Fmu> configured(const std::shared_ptr<const Fmu>& fmu, const Settings& settings) {
  fmi::Configuration wanted;
  for (const auto& [name, value] : settings)
    for (const Variable& variable : fmu->description().variables)
      if (variable.role == Role::structural && variable.name == name) wanted[name] = value;
  return wanted.empty() ? fmu : fmu->configured(wanted);
}

std::shared_ptr<const fmi::Inputs> inputs_of(const Fmu& fmu) {
  const std::string& file = fmu.how().inputs;
  return file.empty() ? std::make_shared<const fmi::Inputs>()
                      : std::make_shared<const fmi::Inputs>(file, fmu.description());
}

ModelInstance exchanged_instance(const std::shared_ptr<const Fmu>& fmu, const Model& description,
                                 const fmi::StartValues& values,
                                 const std::shared_ptr<const fmi::Inputs>& inputs, OnlyOne& only_one) {
  const Description& about = fmu->description();
  const auto hybrid = std::make_shared<fmi::HybridFmu>(fmu, values, inputs, about.start.value_or(0),
                                                       end_of(about), about.tolerance);
  only_one.set(hybrid);
  const System system =
      fmi::exchanged_system(hybrid, description.name, description.state_names, about, *inputs);
  return {
      .system = system, .state = hybrid->initial(), .observe = fmi::ExchangedVariables{hybrid, fmu, system}};
}

ModelInstance stepped_instance(const std::shared_ptr<const Fmu>& fmu, const Model& description,
                               const fmi::StartValues& values,
                               const std::shared_ptr<const fmi::Inputs>& inputs, OnlyOne& only_one) {
  const auto stepped = std::make_shared<fmi::SteppedFmu>(
      fmu, values, inputs, fmu->description().start.value_or(0), communication_step(*fmu));
  only_one.set(stepped);
  const System system = fmi::stepped_system(stepped, description.name, description.state_names);
  return {
      .system = system, .state = stepped->initial(), .observe = fmi::SteppedVariables{stepped, fmu, system}};
}

// The derivatives of the start values by that of a state, by differences of instances. Refuses where the FMU remembers what the state was.
Vector start_by(const Fmu& fmu, const Model& model, const Settings& settings, const std::string& state) {
  const ModelInstance given = model.instantiate(settings);
  const Index n = given.system.states();
  const Index at = given.system.state_index(state);
  const auto* const exchanged = given.observe.target<fmi::ExchangedVariables>();
  if (exchanged == nullptr) return Vector::Unit(n, at);
  const auto& all = exchanged->fmu->description().variables;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Variable& one) { return one.name == state; });
  // A start value that the FMU computes is moved after its start alone.
  if (found == all.end() || !found->is_settable_at_start) return Vector::Unit(n, at);
  const double step = exchanged->hybrid->step_of_state(at);
  const auto moved = [&](double by) {
    Settings changed = settings;
    changed.emplace_back(state, given.state[at] + by);
    return model.instantiate(changed);
  };
  const ModelInstance ahead = moved(step), behind = moved(-step);
  for (const ModelInstance& other : {ahead, behind})
    if (!exchanged->hybrid->starts_alike(*other.observe.target<fmi::ExchangedVariables>()->hybrid,
                                         given.start))
      refuse({.what = "the FMU remembers what a state was at the start, which derivatives by the state would "
                      "leave out",
              .where = fmu.file(),
              .expected = "an FMU whose initial equations keep nothing of its states",
              .got = "'" + state + "'",
              .advice = "take differences of runs at a tight tolerance"});
  return (ahead.state - behind.state) / (2 * step);
}

}  // namespace

Model read_fmu(const std::string& file, const FmuImport& how) {
  const auto fmu = std::make_shared<const Fmu>(file, how);
  const Description& about = fmu->description();
  const auto given_inputs = inputs_of(*fmu);
  Model model = described_model(*fmu);
  const auto only_one = std::make_shared<OnlyOne>();
  model.instantiate = [given = fmu, given_inputs, only_one, given_model = model](const Settings& settings) {
    const std::shared_ptr<const Fmu> used = configured(given, settings);
    const Description& of = used->description();
    const Model description = used == given ? given_model : described_model(*used);
    const auto inputs = used == given ? given_inputs : inputs_of(*used);
    Settings parameters;
    const fmi::StartValues values = start_values(*used, description, settings, parameters);
    only_one->check(*used);
    ModelInstance instance = is_exchanged(of)
                                 ? exchanged_instance(used, description, values, inputs, *only_one)
                                 : stepped_instance(used, description, values, inputs, *only_one);
    instance.parameters = parameters;
    instance.start = of.start.value_or(0);
    instance.end = end_of(of);
    return instance;
  };
  model.initial_by = [file, fmu, model](const Settings& settings, const std::string& state) {
    return start_by(*fmu, model, settings, state);
  };
  // Instances for other values of parameters do not know the events of this one, nor which of their indicators are relays.
  if (is_exchanged(about) && about.indicators.empty()) return model;
  model.extend = [file](const Settings&, const std::vector<std::string>& parameters) -> ExtendedProblem {
    refuse({.what = "an FMU with event indicators tells no derivatives by its parameters, since its events "
                    "are those of "
                    "one value",
            .where = file,
            .expected = "the name of a state, for its initial value",
            .got = fmt::format("'{}'", fmt::join(parameters, "', '")),
            .advice = "take differences of runs at a tight tolerance"});
  };
  return model;
}

std::string reason_without_audit(const ModelInstance& instance, AuditTime time) {
  if (instance.observe.target<fmi::SteppedVariables>() != nullptr)
    return "an FMU of Co-Simulation steps by itself, and has no equations to compare its run with";
  const auto* const exchanged = instance.observe.target<fmi::ExchangedVariables>();
  if (exchanged == nullptr || !exchanged->fmu->description().wants_steps) return "";
  if (!exchanged->fmu->description().saves_state)
    return "the FMU remembers the steps of the integrator, and cannot save its state: it cannot be asked "
           "beside "
           "the run";
  return time == AuditTime::along_run
             ? ""
             : "the FMU remembers the steps of the integrator: it cannot be asked when its run is over";
}

void tell_steps(const ModelInstance& instance, Options& options) {
  const auto* const exchanged = instance.observe.target<fmi::ExchangedVariables>();
  if (exchanged == nullptr || !exchanged->fmu->description().wants_steps) return;
  options.on_step = [hybrid = exchanged->hybrid, before = options.on_step,
                     n = instance.system.states()](const StepView& step) {
    const Answer answer = before ? before(step) : Answer::go_on;
    Vector x(n);
    step.evaluate(step.end, x);
    hybrid->complete_step(step.end, x);
    return answer;
  };
}

}  // namespace slideway
