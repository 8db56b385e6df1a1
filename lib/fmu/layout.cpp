#include "lib/fmu/layout.hpp"

#include <algorithm>
#include <set>

#include "slideway/core/errors.hpp"

namespace slideway::fmu {
namespace {

// Adds variables under names that none has yet.
class Names {
 public:
  std::string take(const std::string& wanted) {
    std::string name = wanted;
    while (!taken_.insert(name).second) name += "_";
    return name;
  }

 private:
  std::set<std::string> taken_;
};

void check_free(const ModelInstance& instance, const std::vector<std::string>& free) {
  std::vector<std::string> known;
  for (const auto& [name, value] : instance.parameters) known.push_back(name);
  for (auto name = free.begin(); name != free.end(); ++name) {
    if (std::find(known.begin(), known.end(), *name) == known.end()) {
      const std::string nearest = nearest_name(*name, known);
      refuse({.what = "an input, or a tunable parameter, is a parameter of the model",
              .where = "'" + *name + "'",
              .expected = nearest.empty() ? "a parameter" : "such as '" + nearest + "'"});
    }
    if (std::find(free.begin(), name, *name) != name)
      refuse(
          {.what = "a parameter is named twice", .where = "'" + *name + "'", .expected = "each name once"});
  }
}

[[noreturn]] void refuse_exchange(const std::string& what) {
  refuse({.what = "Model Exchange cannot hold this model: " + what,
          .where = "--me",
          .expected = "a model without it",
          .advice = "export it as --cs"});
}

}  // namespace

std::uint32_t Layout::first(Role role) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const Variable& variable) { return variable.role == role; });
  return static_cast<std::uint32_t>(found - variables.begin());
}

std::vector<std::string> Offered::free() const {
  std::vector<std::string> names = inputs;
  names.insert(names.end(), tunable.begin(), tunable.end());
  return names;
}

Layout layout_of(const Model& model, const ModelInstance& instance, const Offered& offered) {
  const std::vector<std::string> free = offered.free();
  check_free(instance, free);
  Layout layout;
  Names names;
  const System& system = instance.system;
  layout.continuous = system.states() - system.discrete();
  const auto add = [&](Role role, Index index, const std::string& name, double start = 0,
                       const std::string& text = "") {
    layout.variables.push_back({names.take(name), role, index, start, text});
  };
  add(Role::time, 0, "time");
  for (Index i = 0; i < layout.continuous; ++i)
    add(Role::state, i, system.state_names()[static_cast<std::size_t>(i)], instance.state[i]);
  for (Index i = 0; i < layout.continuous; ++i)
    add(Role::derivative, i, "der(" + system.state_names()[static_cast<std::size_t>(i)] + ")");
  for (Index i = layout.continuous; i < system.states(); ++i)
    add(Role::discrete_state, i - layout.continuous, system.state_names()[static_cast<std::size_t>(i)],
        instance.state[i]);
  for (std::size_t k = 0; k < instance.parameters.size(); ++k) {
    const auto& [name, value] = instance.parameters[k];
    const auto known = std::find_if(model.parameters.begin(), model.parameters.end(),
                                    [&, wanted = name](const Parameter& one) { return one.name == wanted; });
    const auto place = std::find(free.begin(), free.end(), name) - free.begin();
    const auto inputs = static_cast<std::ptrdiff_t>(offered.inputs.size());
    const bool is_free = place < static_cast<std::ptrdiff_t>(free.size());
    add(!is_free         ? Role::parameter
        : place < inputs ? Role::input
                         : Role::tunable,
        is_free ? static_cast<Index>(place) : static_cast<Index>(k), name, value,
        known == model.parameters.end() ? "" : known->description);
  }
  for (std::size_t k = 0; k < offered.observed.size(); ++k) {
    const std::string name = offered.observed[k].substr(0, offered.observed[k].find('='));
    add(Role::observed, static_cast<Index>(k), name.substr(0, name.find_last_not_of(' ') + 1));
  }
  Index k = 0;
  for (const std::string& surface : system.surface_names()) add(Role::mode, k++, "mode(" + surface + ")");
  for (const Contact& contact : system.contacts()) add(Role::mode, k++, "mode(" + contact.name + ")");
  if (instance.automaton && instance.automaton->has_locations()) add(Role::location, 0, "location");
  add(Role::events, 0, "events", 0, "the number of events so far");
  k = 0;
  const auto add_indicator = [&](const std::string& name) { add(Role::indicator, k++, name); };
  for (const std::string& surface : system.surface_names()) add_indicator("surface(" + surface + ")");
  for (const Contact& contact : system.contacts()) add_indicator("contact(" + contact.name + ")");
  // The events of the location that has the most of them.
  const System* most = &system;
  if (instance.automaton)
    for (const Location& location : instance.automaton->locations())
      if (location.system.events().size() > most->events().size()) most = &location.system;
  for (const Event& event : most->events()) add_indicator("event(" + event.name + ")");
  if (instance.automaton)
    for (const Edge& edge : instance.automaton->edges())
      add_indicator("edge(" + (edge.name.empty() ? edge.from + " to " + edge.to : edge.name) + ")");
  layout.indicators = k;
  return layout;
}

void check_model_exchange(const ModelInstance& instance) {
  const System& system = instance.system;
  for (const Contact& contact : system.contacts())
    if (contact.cone) refuse_exchange("contact '" + contact.name + "' has friction in a plane");
  for (const Event& event : system.events())
    if (event.delay.time > 0) refuse_exchange("event '" + event.name + "' has a delay");
  if (instance.automaton)
    for (const Edge& edge : instance.automaton->edges())
      if (edge.delay.time > 0) refuse_exchange("edge '" + edge.name + "' has a delay");
}

}  // namespace slideway::fmu
