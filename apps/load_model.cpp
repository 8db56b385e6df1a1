#include "apps/load_model.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "apps/gallery.hpp"
#include "models/registry.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {
namespace {

// The file here that is called `name`, but for an ending that was left out or is wrong; "" for none.
std::string file_called(const std::string& name) {
  const auto is_file = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(to_path(path), ignored);
  };
  for (const std::string& path : {name + ".toml", to_name(to_path(name).replace_extension(".toml")), name})
    if (is_file(path)) return path == name ? "./" + name : path;
  return "";
}

std::vector<std::string> model_files_here() {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(".", ignored)) {
    const std::string file = to_name(entry.path().filename());
    if (file.ends_with(".toml")) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Lists the models of the catalogue and the files here whose names are near to a misspelt name, or begin with it.
std::vector<std::string> names_near(const std::string& name, const std::vector<std::string>& catalogue) {
  const std::string stem = to_name(to_path(name).stem());
  const std::vector<std::string> files = model_files_here();
  std::vector<std::string> stems;
  for (const std::string& file : files) stems.push_back(to_name(to_path(file).stem()));
  std::vector<std::string> near;
  if (const std::string model = nearest_name(stem, catalogue); !model.empty()) near.push_back(model);
  if (const std::string file = nearest_name(stem, stems); !file.empty()) near.push_back(file + ".toml");
  constexpr std::size_t shortest_beginning = 3;
  if (!near.empty() || stem.size() < shortest_beginning) return near;
  for (const auto* known : {&catalogue, &files})
    for (const std::string& candidate : *known)
      if (candidate.starts_with(stem)) near.push_back(candidate);
  return near;
}

std::string question(const std::vector<std::string>& meant) {
  constexpr std::size_t most = 5;
  if (meant.empty() || meant.size() > most) return "";
  return fmt::format("did you mean '{}'?", fmt::join(meant, "' or '"));
}

std::vector<std::string> names_of(const std::vector<Model>& models) {
  std::vector<std::string> names;
  for (const Model& model : models) names.push_back(model.name);
  return names;
}

[[noreturn]] void refuse_name(const std::string& name, const std::vector<Model>& known) {
  const std::vector<std::string> catalogue = names_of(known);
  const std::string file = file_called(name);
  refuse({.what = "there is no model '" + name + "'",
          .where = "catalogue",
          .expected = fmt::format("one of {}; or a file whose name ends in .toml or .fmu, or has a / in it",
                                  fmt::join(catalogue, ", ")),
          .advice = question(file.empty() ? names_near(name, catalogue) : std::vector{file})});
}

// Refuses the name of a file that is not there, with near names of the catalogue and of other files. Returns where there are none.
void refuse_absent_file(const std::string& name, const std::vector<Model>& known) {
  const std::filesystem::path path = to_path(name);
  std::error_code ignored;
  if (path.has_parent_path() || std::filesystem::exists(path, ignored)) return;
  const std::vector<std::string> catalogue = names_of(known);
  const auto refuse_it = [&](const std::string& advice) {
    refuse({.what = "there is no file '" + name + "' here",
            .expected = "the name of a file, or one of the catalogue",
            .advice = advice});
  };
  const std::string stem = to_name(path.stem());
  if (std::find(catalogue.begin(), catalogue.end(), stem) != catalogue.end())
    refuse_it("the catalogue has '" + stem + "'");
  if (const std::string meant = question(names_near(name, catalogue)); !meant.empty()) refuse_it(meant);
}

// The file of the gallery that is meant, unless a file of this name is here. Refuses an unknown name.
std::string file_of_gallery(const std::string& name) {
  std::error_code ignored;
  if (!is_gallery_name(name) || std::filesystem::exists(to_path(name), ignored)) return "";
  const std::string file = gallery_file(name);
  if (!file.empty()) return file;
  std::vector<std::string> names;
  for (const GalleryModel& model : gallery_models()) names.push_back(model.name);
  if (names.empty())
    refuse({.what = "the gallery was not found, nor a file '" + name + "' here",
            .where = "gallery",
            .expected = "it beside the program, in " + places_of_gallery()[1],
            .got = fmt::format("nothing there nor in {} more folders, which `slideway models` lists",
                               places_of_gallery().size() - 1),
            .advice = "install with `cmake --install`, or give the path of the file, as in "
                      "SOURCE/models/" +
                      name + (name.ends_with(".toml") ? "" : ".toml")});
  const std::string stem = name.ends_with(".toml") ? name.substr(0, name.size() - 5) : name;
  const std::string near = nearest_name(stem, names);
  refuse({.what = "there is no model '" + name + "'",
          .where = "gallery",
          .expected = "a file of this name, or a model of the gallery, which `slideway models` lists",
          .advice = near.empty() ? "" : question({near})});
}

// The first option that only an FMU understands; "" for none.
std::string option_of_fmus(const FmuImport& how) {
  if (!how.inputs.empty()) return "--inputs";
  if (how.communication_step) return "--communication-step";
  if (how.prefers_co_simulation) return "--co-simulation";
  if (how.isolated) return "--isolate";
  return how.log.empty() ? "" : "--fmu-log";
}

}  // namespace

bool is_fmu(const std::string& name) { return name.ends_with(".fmu"); }

bool is_model_file(const std::string& name) {
  return to_path(name).has_parent_path() || name.ends_with(".toml") || is_fmu(name);
}

Model load_model(const std::string& name, const FmuImport& how) {
  const std::vector<Model>& known = models::catalogue();
  if (is_fmu(name)) return read_fmu(name, how);
  if (const std::string option = option_of_fmus(how); !option.empty())
    refuse({.what = "this option is for FMUs",
            .where = option,
            .expected = "a name that ends in .fmu",
            .got = name});
  if (is_model_file(name)) {
    if (const std::string file = file_of_gallery(name); !file.empty()) return read_model_file(file);
    refuse_absent_file(name, known);
    return read_model_file(name);
  }
  if (std::none_of(known.begin(), known.end(), [&](const Model& model) { return model.name == name; }))
    refuse_name(name, known);
  return models::find_model(name);
}

std::string identity_of(const std::string& name) {
  if (!is_model_file(name)) return "";
  const std::string file = file_of_gallery(name);
  std::ifstream in(to_path(file.empty() ? name : file), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace slideway::apps
