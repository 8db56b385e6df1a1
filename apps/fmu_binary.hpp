// The binary that exported FMUs have inside: one shared object with the library, which is copied into each of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slideway::apps {

// fmu_binary() returns the path of libslideway_fmu.so in the first of these folders that has it. Throws std::invalid_argument where none of
// them has.
std::string fmu_binary(const std::vector<std::filesystem::path>& folders);

}  // namespace slideway::apps
