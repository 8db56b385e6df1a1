// FMUs that are loaded and unloaded many times leave nothing behind: no memory, no descriptors, no files.
// SLIDEWAY_FMU_CYCLES sets the number of times.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "slideway/fmi/import.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

std::ptrdiff_t entries_of(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

// In kilobytes.
long resident_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return 0;
}

void load_and_run(const std::string& file, bool is_isolated) {
  const ModelInstance instance = read_fmu(file, {.isolated = is_isolated}).instantiate({});
  const Solution solution = Simulator(instance.problem(), {})
                                .run({.start = instance.start, .end = instance.end, .state = instance.state});
  REQUIRE(solution.outcome.succeeded());
}

}  // namespace

TEST_CASE("memory and descriptors stay as they are while FMUs are loaded, run and unloaded") {
  const char* const wanted = std::getenv("SLIDEWAY_FMU_CYCLES");
  const int cycles = wanted != nullptr ? std::atoi(wanted) : 100;
  const test::TemporaryFolder folder, temporary;
  test::write_fmu(folder / "chatter.fmu",
                  {.model = "chatter", .states = {"x", "y"}, .indicators = 1, .discrete = 1});
  setenv("TMPDIR", temporary.path().c_str(), 1);
  constexpr int first = 20;
  for (int k = 0; k < first; ++k) load_and_run(folder / "chatter.fmu", k % 10 == 0);
  const std::ptrdiff_t descriptors = entries_of("/proc/self/fd");
  const long memory = resident_memory();
  for (int k = 0; k < cycles; ++k) load_and_run(folder / "chatter.fmu", k % 10 == 0);
  CHECK(entries_of("/proc/self/fd") == descriptors);
  CHECK(temporary.entries() == 0);
  // The allocator rounds what it asks the system for.
  const long grown = resident_memory() - memory;
  CHECK(grown <= 512);
  if (wanted != nullptr)
    MESSAGE(cycles << " cycles: " << grown << " kB more, " << descriptors << " descriptors");
  unsetenv("TMPDIR");
}
