#include "lib/fmi/fmu.hpp"

#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

// The folder of binaries for this system, in the words of each version.
const char* folder_of_binaries(Version version) {
#if defined(__x86_64__)
  return version == Version::two ? "linux64" : "x86_64-linux";
#elif defined(__aarch64__)
  return version == Version::two ? "linux-aarch64" : "aarch64-linux";
#else
  return "none";
#endif
}

std::string folders_there(const std::filesystem::path& binaries) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(binaries, ignored))
    names.push_back(entry.path().filename().string());
  return names.empty() ? "no binaries" : fmt::format("{}", fmt::join(names, ", "));
}

// A communication step is one of Co-Simulation.
std::optional<Kind> kind_wanted(const FmuImport& how) {
  if (how.prefers_co_simulation || how.communication_step) return Kind::co_simulation;
  return std::nullopt;
}

Description description_in(const UnpackedFmu& unpacked, const std::string& file, const FmuImport& how,
                           const Configuration& configuration) {
  try {
    return read_description(unpacked.folder() / "modelDescription.xml", kind_wanted(how), configuration);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(file + ": " + error.what());
  }
}

}  // namespace

Fmu::Fmu(const std::string& file, const FmuImport& how)
    : file_(file),
      how_(how),
      content_(std::make_shared<Content>(file)),
      description_(description_in(content_->unpacked, file, how, {})) {
  const std::filesystem::path binaries = content_->unpacked.folder() / "binaries";
  const std::string folder = folder_of_binaries(description_.version);
  content_->object = binaries / folder / (description_.model_identifier + ".so");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(content_->object, ignored))
    refuse({.what = "the FMU has no binary for this system",
            .where = file_,
            .expected = fmt::format("binaries/{}/{}.so", folder, description_.model_identifier),
            .got = folders_there(binaries)});
  // An isolated binary is for another process alone.
  if (!how_.isolated) load();
}

Fmu::Fmu(const Fmu& other, const Configuration& values)
    : file_(other.file_),
      how_(other.how_),
      content_(other.content_),
      configuration_(values),
      description_(description_in(content_->unpacked, file_, how_, values)) {}

std::shared_ptr<const Fmu> Fmu::configured(const Configuration& values) const {
  return std::shared_ptr<const Fmu>(new Fmu(*this, values));
}

void Fmu::load() const {
  std::call_once(content_->is_loaded, [&] {
    try {
      content_->binary = std::make_unique<platform::SharedObject>(content_->object);
    } catch (const std::runtime_error& error) {
      refuse({.what = "the binary of the FMU cannot be loaded", .where = file_, .got = error.what()});
    }
  });
}

void* Fmu::address(const std::string& name) const {
  load();
  void* const found = content_->binary->symbol(name);
  if (found == nullptr)
    refuse({.what = "the binary of the FMU lacks a function",
            .where = file_,
            .expected = name,
            .got = "no such symbol"});
  return found;
}

}  // namespace slideway::fmi
