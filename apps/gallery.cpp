#include "apps/gallery.hpp"

#include <filesystem>
#include <fstream>

namespace slideway::apps {
namespace {

namespace fs = std::filesystem;

const std::string prefix = "gallery/";

// The gallery of the installation or of the source tree around the running program; empty where there is none.
fs::path gallery_directory() {
  std::error_code failed;
  fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  // A program in SOURCE/build/TYPE/bin is three folders below its source tree, and one in PREFIX/bin one below its prefix.
  constexpr int most_levels = 3;
  for (int level = 0; level < most_levels && folder.has_relative_path(); ++level) {
    folder = folder.parent_path();
    for (const char* place : {"share/slideway/models", "models/gallery"})
      if (fs::is_regular_file(folder / place / "README.md", failed)) return folder / place;
  }
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

std::string gallery_file(const std::string& name) {
  if (!is_gallery_name(name)) return "";
  std::string file = name.substr(prefix.size());
  if (!file.ends_with(".toml")) file += ".toml";
  const fs::path directory = gallery_directory();
  std::error_code ignored;
  if (file.find('/') != std::string::npos || directory.empty() ||
      !fs::is_regular_file(directory / file, ignored))
    return "";
  return (directory / file).string();
}

}  // namespace slideway::apps
