#include "test/architecture/source_tree.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

namespace architecture {

SourceFiles read_source_tree(const std::filesystem::path& top) {
  SourceFiles files;
  for (const char* root : {"lib", "models", "apps", "test", "validation"}) {
    if (!std::filesystem::exists(top / root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / root)) {
      const auto extension = entry.path().extension();
      if (!entry.is_regular_file() || (extension != ".hpp" && extension != ".cpp")) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files.push_back({entry.path().lexically_relative(top).generic_string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::optional<std::vector<std::string>> tracked_top_level(const std::filesystem::path& top) {
  if (!std::filesystem::exists(top / ".git")) return std::nullopt;
  const std::string command = "git -C '" + top.string() + "' ls-files 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  char buffer[4096];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    output.append(buffer, count);
  if (pclose(pipe) != 0) return std::nullopt;

  std::set<std::string> entries;
  std::istringstream stream(output);
  for (std::string path; std::getline(stream, path);) entries.insert(path.substr(0, path.find('/')));
  return std::vector<std::string>(entries.begin(), entries.end());
}

}  // namespace architecture
