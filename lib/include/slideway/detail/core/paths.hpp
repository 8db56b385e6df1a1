// Names of files, which the library keeps in UTF-8 on every system. std::filesystem takes a std::string for a name in the encoding of the
// system, which is another one on Windows.
//
// It must not know what the files are for.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slideway {

// to_path() throws std::system_error where the name is not UTF-8 and the system needs it to be.
inline std::filesystem::path to_path(std::string_view name) {
  return std::u8string(name.begin(), name.end());
}

inline std::string to_name(const std::filesystem::path& path) {
  const std::u8string name = path.u8string();
  return {name.begin(), name.end()};
}

}  // namespace slideway
