#include "apps/gallery.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "slideway/detail/core/paths.hpp"
#include "slideway/detail/core/platform/programs.hpp"

#if !defined(SLIDEWAY_GALLERY_FROM_HERE) || !defined(SLIDEWAY_GALLERY_DIR)
#error "SLIDEWAY_GALLERY_FROM_HERE and SLIDEWAY_GALLERY_DIR must name where the gallery is installed"
#endif

namespace slideway::apps {
namespace {

namespace fs = std::filesystem;

const std::string prefix = "gallery/";

bool has_gallery(const fs::path& folder) {
  std::error_code failed;
  return fs::is_regular_file(folder / "README.md", failed);
}

// The installed gallery lies where it does beside this file wherever the installation was moved to, then where the build was told
// to install it; a build finds that of its source tree.
std::vector<fs::path> possible_directories() {
  // This code is in a module of Python, or in the program.
  const fs::path own_folder = platform::object_with(&prefix).parent_path();
  std::vector<fs::path> places;
  for (const char* place : {"gallery", SLIDEWAY_GALLERY_FROM_HERE})
    places.push_back((own_folder / place).lexically_normal());
  // A program in SOURCE/build/TYPE/bin is three folders below its source tree, a module in SOURCE/build/TYPE/lib/python/slideway five.
  constexpr int most_levels = 5;
  fs::path folder = own_folder;
  for (int level = 0; level < most_levels && folder.has_relative_path(); ++level) {
    folder = folder.parent_path();
    places.push_back(folder / "models/gallery");
  }
  places.emplace_back(SLIDEWAY_GALLERY_DIR);
  return places;
}

// Empty where there is none.
fs::path gallery_directory() {
  for (const fs::path& place : possible_directories())
    if (has_gallery(place)) return place;
  return {};
}

}  // namespace

bool is_gallery_name(const std::string& name) { return name.starts_with(prefix); }

std::vector<GalleryModel> gallery_models() {
  std::vector<GalleryModel> models;
  const fs::path directory = gallery_directory();
  if (directory.empty()) return models;
  std::ifstream index(directory / "README.md");
  // A row of the index: | [`chua.toml`](chua.toml) | what it shows |
  const std::string before = "| [`";
  const std::string after = ".toml`](";
  std::string field;
  for (std::string line; std::getline(index, line);) {
    if (line.starts_with("## ")) field = line.substr(3);
    const std::size_t end = line.find(after);
    if (!line.starts_with(before) || end == std::string::npos) continue;
    const std::size_t summary = line.find(" | ", end);
    const std::size_t last = line.rfind(" |");
    if (summary == std::string::npos || last < summary + 3) continue;
    models.push_back({prefix + line.substr(before.size(), end - before.size()), field,
                      line.substr(summary + 3, last - summary - 3)});
  }
  return models;
}

std::vector<std::string> places_of_gallery() {
  std::vector<std::string> places;
  for (const fs::path& place : possible_directories()) {
    const std::string text = to_name(place);
    if (std::find(places.begin(), places.end(), text) == places.end()) places.push_back(text);
  }
  return places;
}

std::string gallery_file(const std::string& name) {
  if (!is_gallery_name(name)) return "";
  std::string file = name.substr(prefix.size());
  if (!file.ends_with(".toml")) file += ".toml";
  const fs::path directory = gallery_directory();
  std::error_code ignored;
  if (to_path(file).has_parent_path() || directory.empty() ||
      !fs::is_regular_file(directory / to_path(file), ignored))
    return "";
  return to_name(directory / to_path(file));
}

}  // namespace slideway::apps
