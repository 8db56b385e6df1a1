// Reads the C++ files of this project, for the rules of rules.hpp.
//
// It must not know any rule.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "test/architecture/rules.hpp"

namespace architecture {

// Every .hpp and .cpp file below lib, models, apps, test and validation, in order of their paths.
SourceFiles read_source_tree(const std::filesystem::path& top);

// The entries of the top level that are under version control; nothing where git cannot tell.
std::optional<std::vector<std::string>> tracked_top_level(const std::filesystem::path& top);

}  // namespace architecture
