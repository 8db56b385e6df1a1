#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/platform/system_error_windows.hpp"
#include "slideway/detail/core/platform/disk.hpp"

namespace slideway::platform {
namespace {

constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {
    if (handle_ == INVALID_HANDLE_VALUE) fail();
  }
  ~Handle() { CloseHandle(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

Handle open_for_writing(const std::filesystem::path& file, DWORD disposition) {
  return Handle(CreateFileW(file.c_str(), GENERIC_WRITE, share_all, nullptr, disposition,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
}

// A name that no file of this machine has: several processes may write to one directory.
std::filesystem::path fresh_name(const std::filesystem::path& directory, const char* beginning) {
  static std::atomic<unsigned> count = 0;
  return directory / (beginning + std::to_string(GetCurrentProcessId()) + "-" +
                      std::to_string(GetTickCount64()) + "-" + std::to_string(++count));
}

// Calls make(name) with fresh names until the answer is no longer that the name is taken.
template <class Make>
std::filesystem::path make_fresh(const std::filesystem::path& directory, const char* beginning,
                                 const Make& make) {
  constexpr int most_tried = 100;
  for (int k = 0; k < most_tried; ++k) {
    std::filesystem::path name = fresh_name(directory, beginning);
    if (make(name)) return name;
    if (GetLastError() != ERROR_FILE_EXISTS && GetLastError() != ERROR_ALREADY_EXISTS) fail();
  }
  fail();
}

HANDLE handle_of(std::intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

OVERLAPPED at_place(std::uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// One call takes at most this many bytes.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

void write_all(HANDLE file, const char* from, std::size_t count, std::uint64_t offset) {
  while (count > 0) {
    OVERLAPPED place = at_place(offset);
    DWORD written = 0;
    if (WriteFile(file, from, static_cast<DWORD>(std::min(count, most_bytes)), &written, &place) == 0) fail();
    from += written;
    offset += written;
    count -= written;
  }
}

}  // namespace

// The file is closed at once: the streams of C++ open no file that somebody else may remove.
FreshFile::FreshFile(const std::filesystem::path& directory) {
  path_ = make_fresh(directory, ".slideway-", [](const std::filesystem::path& name) {
    const HANDLE file = CreateFileW(name.c_str(), GENERIC_WRITE, share_all, nullptr, CREATE_NEW,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) return false;
    CloseHandle(file);
    return true;
  });
}

FreshFile::~FreshFile() {
  if (!is_renamed_) DeleteFileW(path_.c_str());
}

void FreshFile::take_place_of(const std::filesystem::path& target) {
  {
    const Handle file = open_for_writing(path_, OPEN_EXISTING);
    if (FlushFileBuffers(file.get()) == 0) fail();
  }
  if (MoveFileExW(path_.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0)
    fail();
  is_renamed_ = true;
}

std::error_code why_not_writable(const std::filesystem::path& file) {
  const HANDLE handle = CreateFileW(file.c_str(), GENERIC_WRITE, share_all, nullptr, OPEN_EXISTING,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return last_error();
  CloseHandle(handle);
  return {};
}

void replace_end(const std::filesystem::path& file, std::uint64_t length, const std::string& text) {
  const Handle handle = open_for_writing(file, OPEN_ALWAYS);
  LARGE_INTEGER end{};
  end.QuadPart = static_cast<LONGLONG>(length);
  if (SetFilePointerEx(handle.get(), end, nullptr, FILE_BEGIN) == 0 || SetEndOfFile(handle.get()) == 0)
    fail();
  write_all(handle.get(), text.data(), text.size(), length);
  if (FlushFileBuffers(handle.get()) == 0) fail();
}

std::filesystem::path make_temporary_directory() {
  return make_fresh(
      std::filesystem::temp_directory_path(), "slideway-",
      [](const std::filesystem::path& name) { return CreateDirectoryW(name.c_str(), nullptr) != 0; });
}

NamelessFile::~NamelessFile() {
  if (is_open()) CloseHandle(handle_of(handle_));
}

void NamelessFile::open(const std::filesystem::path& directory) {
  make_fresh(directory, ".slideway-rows-", [&](const std::filesystem::path& name) {
    const HANDLE file =
        CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, share_all, nullptr, CREATE_NEW,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (file == INVALID_HANDLE_VALUE) return false;
    handle_ = reinterpret_cast<std::intptr_t>(file);
    return true;
  });
}

void NamelessFile::write(const void* bytes, std::size_t count, std::uint64_t offset) const {
  write_all(handle_of(handle_), static_cast<const char*>(bytes), count, offset);
}

void NamelessFile::read(void* bytes, std::size_t count, std::uint64_t offset) const {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    OVERLAPPED place = at_place(offset);
    DWORD got = 0;
    const bool is_read =
        ReadFile(handle_of(handle_), to, static_cast<DWORD>(std::min(count, most_bytes)), &got, &place) != 0;
    if (!is_read && GetLastError() != ERROR_HANDLE_EOF) fail();
    if (got == 0) {
      std::memset(to, 0, count);
      return;
    }
    to += got;
    offset += got;
    count -= got;
  }
}

}  // namespace slideway::platform
