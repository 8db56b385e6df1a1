#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"

namespace slideway::apps {

namespace {

constexpr std::size_t most_equations = 100;
// A chain of thousands of blocks is understood from its first ones.
constexpr std::size_t most_elements = 20;

template <class Items, class Text>
void print_list(std::ostream& out, const std::string& title, const Items& items, std::size_t most,
                const Text& text) {
  fmt::print(out, "\n{}\n", title);
  for (std::size_t i = 0; i < items.size() && i < most; ++i) fmt::print(out, "  {}\n", text(i));
  if (items.size() > most) fmt::print(out, "  … and {} more\n", items.size() - most);
  if (items.empty()) fmt::print(out, "  none\n");
}

void print_parameters(std::ostream& out, const std::vector<Parameter>& parameters) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Parameter& parameter : parameters) {
    name_width = std::max(name_width, parameter.name.size());
    value_width = std::max(value_width, fmt::formatted_size("{}", parameter.value));
  }
  print_list(out, "parameters", parameters, most_equations, [&](std::size_t i) {
    const Parameter& parameter = parameters[i];
    const std::string line = fmt::format("{:<{}} = {}", parameter.name, name_width, parameter.value);
    if (parameter.description.empty()) return line;
    return fmt::format("{:<{}}   {}", line, name_width + 3 + value_width, parameter.description);
  });
}

// The states whose derivatives jump, or bend, where a surface is crossed; by surface.
std::vector<std::vector<std::string>> jumping_states(const System& system) {
  std::vector<std::vector<std::string>> states(static_cast<std::size_t>(system.surfaces()));
  const auto& pattern = system.definition().field_dlambda_pattern;
  if (!pattern) return states;
  for (Index row = 0; row < pattern->rows; ++row) {
    for (Index k = pattern->start[static_cast<std::size_t>(row)];
         k < pattern->start[static_cast<std::size_t>(row) + 1]; ++k) {
      const auto surface = static_cast<std::size_t>(pattern->column[static_cast<std::size_t>(k)]);
      states[surface].push_back(system.state_names()[static_cast<std::size_t>(row)] + "'");
    }
  }
  return states;
}

std::string surface_line(const std::string& name, std::size_t width, const std::vector<std::string>& states) {
  constexpr std::size_t most = 6;
  // "max in u" says where a surface is, and is no guard.
  const std::string guard = name.find(" in ") == std::string::npos ? name + " = 0" : name;
  if (states.empty()) return guard;
  const auto shown = states.begin() + static_cast<Index>(std::min(states.size(), most));
  return fmt::format("{:<{}}   in {}{}", guard, width + 4, fmt::join(states.begin(), shown, ", "),
                     states.size() > most ? ", …" : "");
}

void print_surfaces(std::ostream& out, const System& system) {
  const auto states = jumping_states(system);
  std::size_t width = 0;
  for (std::size_t i = 0; i < std::min(states.size(), most_elements); ++i)
    width = std::max(width, system.surface_names()[i].size());
  print_list(out, "surfaces, in the order of mode words", system.surface_names(), most_elements,
             [&](std::size_t i) {
               return surface_line(system.surface_names()[i], std::min<std::size_t>(width, 50), states[i]);
             });
  if (system.contacts().empty()) return;
  print_list(out, "contacts, after the surfaces", system.contacts(), most_elements,
             [&](std::size_t i) { return system.contacts()[i].name; });
  std::vector<std::string> slips;
  for (const Contact& contact : system.contacts())
    if (contact.cone) slips.push_back("slip of " + contact.name);
  if (!slips.empty())
    print_list(out, "friction in a plane, after the contacts", slips, most_elements,
               [&](std::size_t i) { return slips[i]; });
}

void print_automaton(std::ostream& out, const Automaton& automaton) {
  print_list(out, "locations", automaton.locations(), most_equations, [&](std::size_t i) {
    return automaton.locations()[i].name + (i == automaton.initial() ? " (initial)" : "");
  });
  print_list(out, "edges", automaton.edges(), most_equations, [&](std::size_t i) {
    const Edge& edge = automaton.edges()[i];
    return fmt::format("{} -> {}{}", edge.from, edge.to, edge.name.empty() ? "" : "   " + edge.name);
  });
}

void print_instance(std::ostream& out, const ModelInstance& instance) {
  print_surfaces(out, instance.system);
  if (instance.automaton && instance.automaton->has_locations()) print_automaton(out, *instance.automaton);
  print_list(out, "initial state", instance.system.state_names(), most_elements, [&](std::size_t i) {
    return fmt::format("{} = {}", instance.system.state_names()[i], instance.state(static_cast<Index>(i)));
  });
  fmt::print(out, "\ntime\n  from {} to {}\n", instance.start, instance.end);
}

void print_defaults(std::ostream& out, const ModelDefaults& defaults) {
  std::vector<std::string> lines;
  if (defaults.rtol > 0) lines.push_back(fmt::format("rtol = {}", defaults.rtol));
  if (defaults.atol.size() == 1) lines.push_back(fmt::format("atol = {}", defaults.atol.front()));
  if (defaults.atol.size() > 1) {
    const auto shown = std::min(defaults.atol.size(), most_elements);
    lines.push_back(
        fmt::format("atol = {}{}",
                    fmt::join(defaults.atol.begin(), defaults.atol.begin() + static_cast<Index>(shown), ", "),
                    shown < defaults.atol.size() ? ", …" : ""));
  }
  if (!defaults.method.empty()) lines.push_back("method = " + defaults.method);
  if (!defaults.on_ambiguity.empty()) lines.push_back("on_ambiguity = " + defaults.on_ambiguity);
  if (!defaults.sliding_rule.empty()) lines.push_back("sliding_rule = " + defaults.sliding_rule);
  if (!defaults.linear_solver.empty()) lines.push_back("linear_solver = " + defaults.linear_solver);
  if (!defaults.selection.empty()) lines.push_back("selection = " + defaults.selection);
  if (defaults.max_step > 0) lines.push_back(fmt::format("max_step = {}", defaults.max_step));
  if (defaults.max_events > 0) lines.push_back(fmt::format("max_events = {}", defaults.max_events));
  if (defaults.max_steps > 0) lines.push_back(fmt::format("max_steps = {}", defaults.max_steps));
  if (!defaults.observe.empty())
    lines.push_back(fmt::format("observe = {}", fmt::join(defaults.observe, ", ")));
  if (!lines.empty())
    print_list(out, "options", lines, lines.size(), [&](std::size_t i) { return lines[i]; });
}

}  // namespace

int show(const ShowArguments& arguments, std::ostream& out) {
  const Model model = load_model(arguments.model);
  fmt::print(out, "{}\n", model.name);
  if (!model.summary.empty()) fmt::print(out, "  {}\n", model.summary);
  print_list(out, "equations", model.equations, most_equations,
             [&](std::size_t i) { return model.equations[i]; });
  std::vector<Parameter> parameters = model.parameters;
  for (Parameter& parameter : parameters) {
    for (const auto& [name, value] : arguments.settings) {
      if (name == parameter.name) parameter.value = value;
    }
  }
  print_parameters(out, parameters);
  try {
    print_instance(out, model.instantiate(arguments.settings));
  } catch (const std::invalid_argument& error) {
    if (!arguments.settings.empty()) throw;
    fmt::print(out, "\nThis model cannot be run: {}\n", error.what());
  }
  print_defaults(out, model.defaults);
  if (!model.source.empty()) fmt::print(out, "\nsource\n  {}\n", model.source);
  return exit_success;
}

}  // namespace slideway::apps
