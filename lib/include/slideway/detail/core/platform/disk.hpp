// Files for results: FreshFile replaces a file when it is complete on the disk, and NamelessFile has no name and ends with the process.
// All functions throw std::system_error with the reason that the system gives.
//
// It must not know documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace slideway::platform {

// FreshFile makes a new file in a directory. Its destructor removes the file, except after take_place_of().
class FreshFile {
 public:
  explicit FreshFile(const std::filesystem::path& directory);
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // take_place_of() waits until the bytes are on the disk, and then renames the file to `target`. The file gets the rights of the file that
  // it replaces, or those of a new file.
  void take_place_of(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;  // on POSIX; Windows renames no open file
  bool is_renamed_ = false;
};

// why_not_writable() returns the reason why an existing file cannot be written, or no error.
std::error_code why_not_writable(const std::filesystem::path& file);

// replace_end() cuts the file off at `length`, adds the text, and waits for the disk. It makes the file where there is no file.
void replace_end(const std::filesystem::path& file, std::uint64_t length, const std::string& text);

// make_temporary_directory() makes a new directory for the temporary files of the caller.
std::filesystem::path make_temporary_directory();

// NamelessFile is a file without a name. The system removes it when the process ends, also after a crash.
class NamelessFile {
 public:
  NamelessFile() = default;
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  bool is_open() const { return handle_ != -1; }
  void open(const std::filesystem::path& directory);
  void write(const void* bytes, std::size_t count, std::uint64_t offset) const;
  // read() gives zero for bytes that were never written.
  void read(void* bytes, std::size_t count, std::uint64_t offset) const;

 private:
  // A descriptor on POSIX, a handle on Windows.
  std::intptr_t handle_ = -1;
};

}  // namespace slideway::platform
