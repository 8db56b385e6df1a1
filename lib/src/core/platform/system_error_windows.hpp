// Errors of Windows as exceptions, and texts in the encoding of its functions.
#pragma once

#include <string>
#include <system_error>

#include "slideway/detail/core/paths.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <shellapi.h>  // after the types that it uses

namespace slideway::platform {

// The condition of the library of C++ for an error of Windows: messages are the same on every system then.
inline std::error_code portable(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH: return std::make_error_code(std::errc::no_such_file_or_directory);
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return std::make_error_code(std::errc::permission_denied);
    case ERROR_WRITE_PROTECT: return std::make_error_code(std::errc::read_only_file_system);
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return std::make_error_code(std::errc::no_space_on_device);
    case ERROR_DIRECTORY:
    case ERROR_INVALID_NAME: return std::make_error_code(std::errc::no_such_file_or_directory);
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return std::make_error_code(std::errc::not_enough_memory);
    case ERROR_TOO_MANY_OPEN_FILES: return std::make_error_code(std::errc::too_many_files_open);
    default: return {static_cast<int>(error), std::system_category()};
  }
}

inline std::error_code last_error() { return portable(GetLastError()); }

[[noreturn]] inline void fail(const char* what = nullptr) {
  const std::error_code error = last_error();
  if (what == nullptr) throw std::system_error(error);
  throw std::system_error(error, what);
}

inline std::wstring wide(const std::string& text) { return to_path(text).wstring(); }

}  // namespace slideway::platform
