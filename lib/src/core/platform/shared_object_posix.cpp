#include <dlfcn.h>

#include <stdexcept>

#include "slideway/detail/core/platform/shared_object.hpp"

namespace slideway::platform {

SharedObject::SharedObject(const std::filesystem::path& file)
    : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* const reason = dlerror();
  throw std::runtime_error(reason != nullptr ? reason : "the system gives no reason");
}

SharedObject::~SharedObject() { dlclose(handle_); }

void* SharedObject::symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }

}  // namespace slideway::platform
