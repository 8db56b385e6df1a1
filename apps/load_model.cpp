#include "apps/load_model.hpp"

#include "models/registry.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {

bool is_model_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml");
}

Model load_model(const std::string& name) {
  return is_model_file(name) ? read_model_file(name) : models::find_model(name);
}

}  // namespace slideway::apps
