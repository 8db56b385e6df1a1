#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "slideway/detail/core/platform/disk.hpp"

namespace slideway::platform {

namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

[[noreturn]] void fail() { throw std::system_error(last_error()); }

int descriptor_of(std::intptr_t handle) { return static_cast<int>(handle); }

// Writes all of it at this place; false with `errno` where that fails.
bool write_all(int descriptor, const char* from, std::size_t count, std::uint64_t offset) {
  while (count > 0) {
    const ssize_t written = pwrite(descriptor, from, count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    offset += static_cast<std::uint64_t>(written);
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

FreshFile::FreshFile(const std::filesystem::path& directory) {
  std::string name = (directory / ".slideway-XXXXXX").string();
  descriptor_ = mkstemp(name.data());
  if (descriptor_ < 0) fail();
  path_ = name;
}

FreshFile::~FreshFile() {
  close(descriptor_);
  if (!is_renamed_) unlink(path_.c_str());
}

void FreshFile::take_place_of(const std::filesystem::path& target) {
  // mkstemp gives 0600; a document gets what any new file would get, or keeps what the old one had.
  struct stat old {};
  mode_t mode = 0;
  if (stat(target.c_str(), &old) == 0) {
    mode = old.st_mode & 07777;
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    mode = 0666 & ~mask;
  }
  if (fchmod(descriptor_, mode) != 0 || fsync(descriptor_) != 0) fail();
  if (std::rename(path_.c_str(), target.c_str()) != 0) fail();
  is_renamed_ = true;
  // The rename itself reaches the disk with its directory; a file system that cannot is no reason to fail.
  const int directory = ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

std::error_code why_not_writable(const std::filesystem::path& file) {
  return access(file.c_str(), W_OK) == 0 ? std::error_code() : last_error();
}

void replace_end(const std::filesystem::path& file, std::uint64_t length, const std::string& text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail();
  const struct Closing {
    int descriptor;
    ~Closing() { close(descriptor); }
  } closing{descriptor};
  if (ftruncate(descriptor, static_cast<off_t>(length)) != 0) fail();
  if (!write_all(descriptor, text.data(), text.size(), length)) fail();
  if (fsync(descriptor) != 0) fail();
}

std::filesystem::path make_temporary_directory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "slideway-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) fail();
  return pattern;
}

NamelessFile::~NamelessFile() {
  if (is_open()) close(descriptor_of(handle_));
}

void NamelessFile::open(const std::filesystem::path& directory) {
  std::string path = (directory / ".slideway-rows-XXXXXX").string();
  handle_ = mkostemp(path.data(), O_CLOEXEC);
  if (handle_ < 0) fail();
  unlink(path.c_str());
}

void NamelessFile::write(const void* bytes, std::size_t count, std::uint64_t offset) const {
  if (!write_all(descriptor_of(handle_), static_cast<const char*>(bytes), count, offset)) fail();
}

void NamelessFile::read(void* bytes, std::size_t count, std::uint64_t offset) const {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = pread(descriptor_of(handle_), to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) {
      std::memset(to, 0, count);
      return;
    }
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace slideway::platform
