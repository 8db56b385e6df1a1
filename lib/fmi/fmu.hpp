// Fmu is an FMU file that has been unpacked: its description and its binary for this system.
//
// It must not know how instances are used.
#pragma once

#include <memory>
#include <string>

#include "lib/fmi/archive.hpp"
#include "lib/fmi/description.hpp"
#include "slideway/detail/core/platform/shared_object.hpp"

namespace slideway::fmi {

class Fmu {
 public:
  // Throws std::invalid_argument where the file is no FMU that can be run here.
  explicit Fmu(const std::string& file);

  const std::string& file() const { return file_; }
  const Description& description() const { return description_; }
  std::filesystem::path resources() const { return unpacked_.folder() / "resources"; }

  // function() returns a function of the binary, of the type that the standard gives it. Throws std::invalid_argument where it is missing.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const std::string& name) const;

  std::string file_;
  UnpackedFmu unpacked_;
  Description description_;
  std::unique_ptr<platform::SharedObject> binary_;
};

}  // namespace slideway::fmi
