#include <algorithm>
#include <ostream>

#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"

namespace slideway::apps {

int show(const ShowArguments& arguments, std::ostream& out) {
  const Model model = load_model(arguments.model);
  const ModelInstance instance = model.instantiate({});

  fmt::print(out, "{}\n", model.name);
  if (!model.summary.empty()) fmt::print(out, "  {}\n", model.summary);
  fmt::print(out, "\nequations\n");
  for (const std::string& equation : model.equations) fmt::print(out, "  {}\n", equation);

  fmt::print(out, "\nsurfaces\n");
  for (const std::string& name : instance.system.surface_names()) fmt::print(out, "  {} = 0\n", name);
  if (instance.system.surfaces() == 0) fmt::print(out, "  none\n");

  fmt::print(out, "\nparameters\n");
  std::size_t width = 0;
  for (const Parameter& parameter : model.parameters) width = std::max(width, parameter.name.size());
  for (const Parameter& parameter : model.parameters) {
    fmt::print(out, "  {}\n",
               fmt::format("{:<{}} = {:<8}{}", parameter.name, width, parameter.value,
                           parameter.description.empty() ? "" : "  " + parameter.description));
  }
  if (model.parameters.empty()) fmt::print(out, "  none\n");

  fmt::print(out, "\ninitial state\n");
  for (Index i = 0; i < instance.state.size(); ++i) {
    fmt::print(out, "  {} = {}\n", instance.system.state_names()[static_cast<std::size_t>(i)],
               instance.state(i));
  }
  fmt::print(out, "\ntime\n  from {} to {}\n", instance.start, instance.end);
  if (!model.source.empty()) fmt::print(out, "\nsource\n  {}\n", model.source);
  return exit_success;
}

}  // namespace slideway::apps
