// A shared object that is loaded while the program runs, and the addresses of its functions.
//
// It must not know what the functions are for.
#pragma once

#include <filesystem>
#include <string>

namespace slideway::platform {

// SharedObject loads the object of a file, with its symbols apart from those of the program. Its destructor unloads the object.
class SharedObject {
 public:
  // Throws std::runtime_error with the reason that the system gives.
  explicit SharedObject(const std::filesystem::path& file);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  // symbol() returns the address of a function of this name, or null where the object has none.
  void* symbol(const std::string& name) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace slideway::platform
