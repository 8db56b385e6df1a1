#include "slideway/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <fmt/format.h>

namespace slideway {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why, const std::string& advice = {}) {
  throw FileError(fmt::format("cannot write '{}': {}{}{}", path, why, advice.empty() ? "" : "; ", advice));
}

std::string system_reason() { return std::strerror(errno); }

// The file that is meant: at the end of the chain when `path` is a symbolic link, so that the link stays one.
fs::path resolve(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(fs::path(path), error);
  const fs::path resolved = fs::weakly_canonical(absolute, error);
  return error ? absolute : resolved;
}

bool is_special(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// A fresh file beside the target, removed again unless it has been renamed onto it.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& path, const fs::path& target) {
    const std::string pattern = (target.parent_path() / ".slideway-XXXXXX").string();
    name_.assign(pattern.begin(), pattern.end());
    name_.push_back('\0');
    descriptor_ = mkstemp(name_.data());
    if (descriptor_ < 0) {
      const std::string reason = system_reason();
      const bool absent = errno == ENOENT;
      std::error_code error;
      // Some that are there take no files, whoever asks.
      const bool is_there = fs::is_directory(target.parent_path(), error);
      fail(path,
           absent && is_there
               ? fmt::format("the directory '{}' takes no new files", target.parent_path().string())
               : fmt::format("{} in directory '{}'", reason, target.parent_path().string()),
           absent && !is_there ? "create the directory first" : "choose a directory you may write to");
    }
  }
  ~TemporaryFile() {
    close(descriptor_);
    if (!renamed_) unlink(name_.data());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const char* name() const { return name_.data(); }
  int descriptor() const { return descriptor_; }

  void rename_to(const std::string& path, const fs::path& target) {
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
    if (fchmod(descriptor_, mode) != 0 || fsync(descriptor_) != 0) fail(path, system_reason());
    if (std::rename(name_.data(), target.c_str()) != 0) fail(path, system_reason());
    renamed_ = true;
    // The rename itself reaches the disk with its directory; a file system that cannot is no reason to fail.
    const int directory = open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY);
    if (directory >= 0) {
      fsync(directory);
      close(directory);
    }
  }

 private:
  std::vector<char> name_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

// Renamed onto a link without an end, the document would take the place of the link.
void refuse_link_without_end(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return;
  const fs::file_status end = fs::status(path, error);
  if (fs::exists(end)) return;
  const fs::path next = fs::read_symlink(path, error);
  if (end.type() == fs::file_type::not_found)
    fail(path, fmt::format("it is a symbolic link to '{}', and that is not there", next.string()),
         "create the file that is meant, or remove the link");
  fail(path, fmt::format("it is a symbolic link to '{}', which leads to no file", next.string()),
       "remove the link, or choose another name");
}

fs::path checked_target(const std::string& path) {
  if (path.empty()) fail(path, "the name is empty", "give a file name, or - for standard output");
  refuse_link_without_end(path);
  const fs::path target = resolve(path);
  std::error_code error;
  if (fs::is_directory(target, error)) fail(path, "it is a directory", "give a file name");
  if (target.filename().empty()) fail(path, "it names no file", "give a file name");
  if (fs::exists(target, error) && access(target.c_str(), W_OK) != 0) fail(path, system_reason());
  return target;
}

void write_in_place(const std::string& path, std::ostream& out,
                    const std::function<void(std::ostream&)>& writer) {
  errno = 0;
  writer(out);
  out.flush();
  if (!out) fail(path, errno != 0 ? system_reason() : "the output was closed or is full");
}

}  // namespace

bool is_standard_output(const std::string& path) { return path == "-"; }

void check_writable(const std::string& path) {
  if (is_standard_output(path)) return;
  const fs::path target = checked_target(path);
  if (!is_special(target)) TemporaryFile(path, target);
}

void write_whole(const std::string& path, const std::function<void(std::ostream&)>& writer) {
  if (is_standard_output(path)) return write_in_place("standard output", std::cout, writer);

  const fs::path target = checked_target(path);
  if (is_special(target)) {
    std::ofstream out(target, std::ios::binary);
    return write_in_place(path, out, writer);
  }
  TemporaryFile temporary(path, target);
  std::ofstream out(temporary.name(), std::ios::binary);
  write_in_place(path, out, writer);
  out.close();
  if (!out) fail(path, system_reason());
  temporary.rename_to(path, target);
}

}  // namespace slideway
