#include "apps/other_program.hpp"

#include <filesystem>

#include "slideway/detail/core/platform/programs.hpp"

namespace slideway::apps {

void become_program(const char* name, char* const* argv) {
  const std::filesystem::path own = platform::own_program();
  if (!own.empty()) platform::become_program((own.parent_path() / name).string(), argv);
  platform::become_program(name, argv);
}

}  // namespace slideway::apps
