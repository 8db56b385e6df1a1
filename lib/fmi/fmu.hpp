// Fmu is an FMU file that has been unpacked: its description and its binary for this system.
//
// It must not know how instances are used.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/fmi/archive.hpp"
#include "lib/fmi/description.hpp"
#include "slideway/detail/core/platform/shared_object.hpp"
#include "slideway/fmi/import.hpp"

namespace slideway::fmi {

class Fmu {
 public:
  // Throws std::invalid_argument where the file is no FMU that can be run here.
  Fmu(const std::string& file, const FmuImport& how);
  // The same FMU with other values of its structural parameters, whose arrays have the lengths that these say. Throws std::invalid_argument for
  // values that they cannot have.
  std::shared_ptr<const Fmu> configured(const Configuration& values) const;

  const std::string& file() const { return file_; }
  const Description& description() const { return description_; }
  // The values of structural parameters, of which instances are told before all else.
  const Configuration& configuration() const { return configuration_; }
  const FmuImport& how() const { return how_; }
  // The categories of messages that the FMU is to send; "all" is every one.
  const std::vector<std::string>& log_categories() const { return how_.log; }
  std::filesystem::path resources() const { return content_->unpacked.folder() / "resources"; }

  // Loads the binary, once. Throws std::invalid_argument where the system cannot.
  void load() const;
  // function() returns a function of the binary, of the type that the standard gives it. Throws std::invalid_argument where it is missing.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  // The part that all configurations have in common.
  struct Content {
    explicit Content(const std::string& file) : unpacked(file) {}
    UnpackedFmu unpacked;
    std::filesystem::path object = {};
    std::once_flag is_loaded = {};
    std::unique_ptr<platform::SharedObject> binary = {};
  };
  Fmu(const Fmu& other, const Configuration& values);
  void* address(const std::string& name) const;

  std::string file_;
  FmuImport how_;
  std::shared_ptr<Content> content_;
  Configuration configuration_;
  Description description_;
};

}  // namespace slideway::fmi
