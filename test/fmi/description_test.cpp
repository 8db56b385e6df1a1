// The descriptions of exported FMUs keep the rules of the standard, as test/fmi/schema says them. xmllint compares.
#ifdef SLIDEWAY_FMU_BINARY
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "slideway/fmi/export.hpp"
#include "slideway/io/model_file.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

TEST_CASE("descriptions of exported FMUs keep the rules of the standard") {
  if (std::system("xmllint --version > /dev/null 2>&1") != 0) {
    MESSAGE("there is no xmllint, so descriptions are not compared with the rules");
    return;
  }
  const std::string source = SLIDEWAY_SOURCE_DIR;
  for (const std::string name : {"dry_friction", "hysteresis_relay", "newtons_cradle", "digital_pid"})
    for (const FmiVersion version : {FmiVersion::two, FmiVersion::three})
      for (const FmuKind kind : {FmuKind::model_exchange, FmuKind::co_simulation, FmuKind::both}) {
        CAPTURE(name);
        const test::TemporaryFolder folder;
        const std::string model = source + "/models/gallery/" + name + ".toml";
        write_fmu(folder / "model.fmu", read_model_file(model),
                  {.version = version, .kind = kind, .model_file = model, .binary = SLIDEWAY_FMU_BINARY});
        std::ofstream(folder / "model.xml")
            << test::archive_entry(folder / "model.fmu", "modelDescription.xml");
        const int number = version == FmiVersion::two ? 2 : 3;
        const std::string command =
            fmt::format("xmllint --noout --relaxng '{}/test/fmi/schema/fmi{}.rng' '{}' 2> /dev/null", source,
                        number, (folder / "model.xml"));
        CHECK(std::system(command.c_str()) == 0);
      }
}
#endif
