#include "apps/fmu_binary.hpp"

#include <system_error>

#include "slideway/core/errors.hpp"

namespace slideway::apps {

std::string fmu_binary(const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path file = (folder / "libslideway_fmu.so").lexically_normal();
    std::error_code failed;
    if (std::filesystem::is_regular_file(file, failed)) return file.string();
  }
  refuse({.what = "the binary of exported FMUs is missing",
          .where = folders.empty() ? "" : folders.back().lexically_normal().string(),
          .expected = "libslideway_fmu.so",
          .got = "no such file",
          .advice = "build the target slideway_fmu, which needs minizip and pugixml"});
}

}  // namespace slideway::apps
