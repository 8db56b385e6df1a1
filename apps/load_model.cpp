#include "apps/load_model.hpp"

#include "models/registry.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {

Model load_model(const std::string& name) {
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".toml");
  return is_file ? read_model_file(name) : models::find_model(name);
}

}  // namespace slideway::apps
