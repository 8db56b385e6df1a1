#include <stdexcept>

#include "core/platform/system_error_windows.hpp"
#include "slideway/detail/core/platform/shared_object.hpp"

namespace slideway::platform {

SharedObject::SharedObject(const std::filesystem::path& file)
    : handle_(
          LoadLibraryExW(std::filesystem::absolute(file).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH)) {
  if (handle_ == nullptr) throw std::runtime_error(last_error().message());
}

SharedObject::~SharedObject() { FreeLibrary(static_cast<HMODULE>(handle_)); }

void* SharedObject::symbol(const std::string& name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name.c_str()));
}

}  // namespace slideway::platform
