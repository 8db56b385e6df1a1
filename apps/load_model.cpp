#include "apps/load_model.hpp"

#include <algorithm>
#include <filesystem>

#include "models/registry.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {
namespace {

// Of what is no model of the catalogue, but the name of a file here with its ending left out or wrong.
void refuse_name_of_file(const std::string& name) {
  const auto is_file = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
  };
  std::string meant;
  for (const std::string& path :
       {name + ".toml", std::filesystem::path(name).replace_extension(".toml").string(), name})
    if (meant.empty() && is_file(path)) meant = path == name ? "./" + name : path;
  if (meant.empty()) return;
  refuse({.what = "there is no model '" + name + "'",
          .where = "catalogue",
          .expected = "a name of the catalogue, or a file whose name ends in .toml or has a / in it",
          .advice = "did you mean '" + meant + "'?"});
}

// Of the name of a file that is not there, but of a model of the catalogue with an ending.
void refuse_file_of_catalogue(const std::string& name) {
  const std::filesystem::path path(name);
  std::error_code ignored;
  if (path.has_parent_path() || std::filesystem::exists(path, ignored)) return;
  const std::string stem = path.stem().string();
  const std::vector<Model>& known = models::catalogue();
  if (std::any_of(known.begin(), known.end(), [&](const Model& model) { return model.name == stem; }))
    refuse({.what = "there is no file '" + name + "' here",
            .expected = "the name of a file, or one of the catalogue",
            .advice = "the catalogue has '" + stem + "'"});
}

}  // namespace

bool is_model_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml");
}

Model load_model(const std::string& name) {
  if (is_model_file(name)) {
    refuse_file_of_catalogue(name);
    return read_model_file(name);
  }
  const std::vector<Model>& known = models::catalogue();
  if (std::none_of(known.begin(), known.end(), [&](const Model& model) { return model.name == name; }))
    refuse_name_of_file(name);
  return models::find_model(name);
}

}  // namespace slideway::apps
