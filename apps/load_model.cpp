#include "apps/load_model.hpp"

#include "models/registry.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::apps {

Model load_model(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) {
    refuse({.what = "model files are not built yet",
            .where = name,
            .expected = "a name of the catalogue",
            .advice = "`slideway models` lists them"});
  }
  return models::find_model(name);
}

}  // namespace slideway::apps
