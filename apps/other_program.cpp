#include "apps/other_program.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace slideway::apps {

void become_program(const char* name, char* const* argv) {
  std::error_code failed;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / name;
  if (!failed) execv(beside.c_str(), argv);
  execvp(name, argv);
}

}  // namespace slideway::apps
