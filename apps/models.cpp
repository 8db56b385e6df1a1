#include <algorithm>
#include <ostream>

#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "models/registry.hpp"

namespace slideway::apps {

int list_models(std::ostream& out) {
  std::size_t width = 0;
  for (const Model& model : models::catalogue()) width = std::max(width, model.name.size());
  for (const Model& model : models::catalogue())
    fmt::print(out, "{:<{}}  {}\n", model.name, width, model.summary);
  return exit_success;
}

}  // namespace slideway::apps
