#include <algorithm>
#include <ostream>
#include <stdexcept>

#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"

namespace slideway::apps {

namespace {

// A chain of thousands of blocks is understood from its first ones.
constexpr std::size_t most_lines = 40;

template <class Items, class Text>
void print_list(std::ostream& out, const std::string& title, const Items& items, const Text& text) {
  fmt::print(out, "\n{}\n", title);
  for (std::size_t i = 0; i < items.size() && i < most_lines; ++i) fmt::print(out, "  {}\n", text(i));
  if (items.size() > most_lines) fmt::print(out, "  … and {} more\n", items.size() - most_lines);
  if (items.empty()) fmt::print(out, "  none\n");
}

void print_parameters(std::ostream& out, const std::vector<Parameter>& parameters) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Parameter& parameter : parameters) {
    name_width = std::max(name_width, parameter.name.size());
    value_width = std::max(value_width, fmt::formatted_size("{}", parameter.value));
  }
  print_list(out, "parameters", parameters, [&](std::size_t i) {
    const Parameter& parameter = parameters[i];
    const std::string line = fmt::format("{:<{}} = {}", parameter.name, name_width, parameter.value);
    if (parameter.description.empty()) return line;
    return fmt::format("{:<{}}   {}", line, name_width + 3 + value_width, parameter.description);
  });
}

void print_instance(std::ostream& out, const ModelInstance& instance) {
  print_list(out, "surfaces", instance.system.surface_names(),
             [&](std::size_t i) { return instance.system.surface_names()[i] + " = 0"; });
  print_list(out, "initial state", instance.system.state_names(), [&](std::size_t i) {
    return fmt::format("{} = {}", instance.system.state_names()[i], instance.state(static_cast<Index>(i)));
  });
  fmt::print(out, "\ntime\n  from {} to {}\n", instance.start, instance.end);
}

}  // namespace

int show(const ShowArguments& arguments, std::ostream& out) {
  const Model model = load_model(arguments.model);
  fmt::print(out, "{}\n", model.name);
  if (!model.summary.empty()) fmt::print(out, "  {}\n", model.summary);
  print_list(out, "equations", model.equations, [&](std::size_t i) { return model.equations[i]; });
  print_parameters(out, model.parameters);
  try {
    print_instance(out, model.instantiate({}));
  } catch (const std::invalid_argument& error) {
    fmt::print(out, "\nThis model cannot be run: {}\n", error.what());
  }
  if (!model.source.empty()) fmt::print(out, "\nsource\n  {}\n", model.source);
  return exit_success;
}

}  // namespace slideway::apps
