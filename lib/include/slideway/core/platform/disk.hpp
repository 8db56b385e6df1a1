// Files as results need them: of a name that nobody has, whole on the disk before they take another one's place, or without a name.
// All of it throws std::system_error with the reason of the system.
//
// It must not know documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace slideway::platform {

// A fresh file in a directory, removed again unless it has taken the place of another one.
class FreshFile {
 public:
  explicit FreshFile(const std::filesystem::path& directory);
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Its bytes reach the disk; then it has the name of `target`, and the rights of what was there, or of any new file.
  void take_place_of(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool is_renamed_ = false;
};

// The reason why this file, which is there, cannot be written; none where it can.
std::error_code why_not_writable(const std::filesystem::path& file);

// Cuts the file off at `length`, adds the text, and waits for the disk. A file that is not there is made.
void replace_end(const std::filesystem::path& file, std::uint64_t length, const std::string& text);

// A directory of its own for temporary files.
std::filesystem::path make_temporary_directory();

// A file without a name, gone with the process whatever becomes of it.
class NamelessFile {
 public:
  NamelessFile() = default;
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  void open(const std::filesystem::path& directory);
  void write(const void* bytes, std::size_t count, std::uint64_t offset) const;
  // Bytes that were never written are zero.
  void read(void* bytes, std::size_t count, std::uint64_t offset) const;

 private:
  int descriptor_ = -1;
};

}  // namespace slideway::platform
