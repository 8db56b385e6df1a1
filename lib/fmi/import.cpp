#include "slideway/fmi/import.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lib/fmi/hybrid_fmu.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/settings.hpp"

namespace slideway {
namespace {

using fmi::Description;
using fmi::Fmu;
using fmi::HybridFmu;
using fmi::Role;
using fmi::Type;
using fmi::Variable;

bool is_number(const Variable& variable) {
  return variable.type != Type::text && variable.type != Type::binary && !variable.is_array;
}

// Parameters and inputs with a start value are set before a run.
bool is_parameter(const Variable& variable) {
  return is_number(variable) && variable.start && variable.is_settable_at_start &&
         (variable.role == Role::parameter || variable.role == Role::input);
}

std::string described(const Variable& variable) {
  std::string text = variable.description;
  if (variable.role == Role::input) text = text.empty() ? "input, constant" : text + " (input, constant)";
  if (variable.unit.empty()) return text;
  return text.empty() ? fmt::format("[{}]", variable.unit) : fmt::format("{} [{}]", text, variable.unit);
}

std::string stage_name(const Description& about) {
  std::string name = "stage";
  const auto is_taken = [&](const Variable& variable) { return variable.name == name; };
  while (std::any_of(about.variables.begin(), about.variables.end(), is_taken)) name += "_";
  return name;
}

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
  void set(const std::shared_ptr<HybridFmu>& instance) {
    const std::lock_guard lock(mutex_);
    alive_ = instance;
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<HybridFmu> alive_;
};

SystemDefinition definition_of(const std::shared_ptr<HybridFmu>& hybrid, const Model& model,
                               const Description& about) {
  SystemDefinition system;
  system.name = model.name;
  system.states = hybrid->continuous() + 1;
  system.surfaces = hybrid->indicators();
  system.state_names = model.state_names;
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
  for (Index j = 0; j < hybrid->indicators(); ++j)
    system.events.push_back(
        {.name = system.surface_names[static_cast<std::size_t>(j)],
         .when = Guard([hybrid, j](double t, ConstVectorRef x) { return hybrid->event_guard(j, t, x); }),
         .direction = Direction::falling,
         .action = Action::reset,
         .reset = [hybrid, j](double t, ConstVectorRef before, VectorRef after) {
           hybrid->fire(j, t, before, after);
         }});
  system.events.push_back(
      {.name = "time event",
       .when = Guard([hybrid](double t, ConstVectorRef x) { return hybrid->time_guard(t, x); }),
       .direction = Direction::rising,
       .action = Action::reset,
       .reset = [hybrid](double t, ConstVectorRef before, VectorRef after) {
         hybrid->fire_time(t, before, after);
       }});
  system.events.push_back({.name = "the FMU ends the run",
                           .when = Guard([hybrid](double, ConstVectorRef x) { return hybrid->end_guard(x); }),
                           .direction = Direction::rising,
                           .action = Action::stop});
  return system;
}

// Variables of the FMU by their names, and else what every system has.
Observables observables_in(const std::shared_ptr<HybridFmu>& hybrid, const std::shared_ptr<const Fmu>& fmu,
                           const System& system, const std::vector<std::string>& wanted) {
  std::vector<const Variable*> variables;
  std::vector<std::string> others;
  std::vector<Index> places;  // of the others
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto& all = fmu->description().variables;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Variable& variable) {
      return variable.name == wanted[k] && is_number(variable);
    });
    if (found != all.end()) {
      variables.push_back(&*found);
    } else {
      others.push_back(wanted[k]);
      places.push_back(static_cast<Index>(k));
    }
  }
  Observables known;
  if (!others.empty()) known = observables_of(system, others);
  const auto count = static_cast<Index>(variables.size());
  return {.names = wanted,
          .evaluate = [hybrid, fmu, variables, known, places, count](
                          double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef forces,
                          VectorRef values) {
            Vector own(count), other(static_cast<Index>(places.size()));
            if (count > 0) hybrid->values(t, x, lambda, variables, own);
            if (!places.empty()) known.evaluate(t, x, lambda, forces, other);
            Index next_own = 0, next_other = 0;
            for (Index k = 0; k < values.size(); ++k) {
              const bool is_other = std::find(places.begin(), places.end(), k) != places.end();
              values[k] = is_other ? other[next_other++] : own[next_own++];
            }
          }};
}

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

Model described_model(const Fmu& fmu) {
  const Description& about = fmu.description();
  Model model;
  model.name = about.model_name;
  const char* const version = about.version == fmi::Version::two ? "2.0" : "3.0";
  model.summary = about.description.empty()
                      ? fmt::format("an FMU of FMI {}", version)
                      : fmt::format("{} (an FMU of FMI {})", about.description, version);
  model.source = about.tool;
  model.equations.push_back(
      fmt::format("the equations are in the FMU: Model Exchange, {} continuous states, {} event indicators",
                  about.states.size(), about.indicators.size()));
  for (const Variable& variable : about.variables)
    if (is_parameter(variable))
      model.parameters.push_back({variable.name, *variable.start, described(variable)});
  for (const fmi::State& state : about.states) model.state_names.push_back(state.variable.name);
  model.state_names.push_back(stage_name(about));
  if (about.tolerance && *about.tolerance > 0 && *about.tolerance < 1) model.defaults.rtol = *about.tolerance;
  const auto has_nominal = [](const fmi::State& state) { return state.variable.nominal.has_value(); };
  if (std::any_of(about.states.begin(), about.states.end(), has_nominal)) {
    constexpr double usual_tolerance = 1e-6, part_of_nominal = 0.01;
    const double rtol = model.defaults.rtol > 0 ? model.defaults.rtol : usual_tolerance;
    for (const fmi::State& state : about.states)
      model.defaults.atol.push_back(part_of_nominal * rtol * std::abs(state.variable.nominal.value_or(1)));
    model.defaults.atol.push_back(part_of_nominal * rtol);
  }
  return model;
}

}  // namespace

Model read_fmu(const std::string& file) {
  const auto fmu = std::make_shared<const Fmu>(file);
  const Description& about = fmu->description();
  if (about.states.empty())
    refuse({.what = "the FMU has no continuous states",
            .where = file,
            .expected = "at least one",
            .got = "none"});
  Model model = described_model(*fmu);
  const auto only_one = std::make_shared<OnlyOne>();
  model.instantiate = [fmu, only_one, description = model](const Settings& settings) {
    const Description& of = fmu->description();
    std::vector<std::string> known;
    Settings parameters;
    for (const Parameter& parameter : description.parameters) {
      known.push_back(parameter.name);
      parameters.emplace_back(parameter.name, parameter.value);
    }
    known.insert(known.end(), description.state_names.begin(), description.state_names.end() - 1);
    fmi::StartValues values;
    for (const auto& [name, value] : settings) {
      check_setting(description.name, name, value, known);
      values.emplace_back(&settable_variable(*fmu, name), value);
      for (auto& [parameter, used] : parameters)
        if (parameter == name) used = value;
    }
    only_one->check(*fmu);
    const double start = of.start.value_or(0);
    const auto hybrid = std::make_shared<HybridFmu>(fmu, values, start, of.tolerance);
    only_one->set(hybrid);
    const System system(definition_of(hybrid, description, of));
    ModelInstance instance{.system = system,
                           .parameters = parameters,
                           .start = start,
                           .end = std::max(start, of.end.value_or(start + 1)),
                           .state = hybrid->initial()};
    instance.observe = [hybrid, fmu, system](const std::vector<std::string>& wanted) {
      return observables_in(hybrid, fmu, system, wanted);
    };
    return instance;
  };
  return model;
}

}  // namespace slideway
