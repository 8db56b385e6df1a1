// The door of a build without the libraries that read FMUs.
#include "slideway/core/errors.hpp"
#include "slideway/fmi/export.hpp"
#include "slideway/fmi/import.hpp"

namespace slideway {

Model read_fmu(const std::string& file, const FmuImport& /*how*/) {
  refuse({.what = "this build reads no FMUs",
          .where = file,
          .expected = "a build with " SLIDEWAY_FMI_MISSING,
          .advice =
              "install what is missing (on Debian `sh cmake/setup.sh` does), and configure and build again"});
}

std::string reason_without_audit(const ModelInstance& /*instance*/, AuditTime /*time*/) { return ""; }
void tell_steps(const ModelInstance& /*instance*/, Options& /*options*/) {}

void write_fmu(const std::string& path, const Model& /*model*/, const FmuExport& /*what*/) {
  refuse({.what = "this build writes no FMUs",
          .where = path,
          .expected = "a build with " SLIDEWAY_FMI_MISSING,
          .advice =
              "install what is missing (on Debian `sh cmake/setup.sh` does), and configure and build again"});
}

}  // namespace slideway
