#include "slideway/io/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "slideway/detail/core/paths.hpp"
#include "slideway/detail/core/platform/disk.hpp"

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
  const fs::path absolute = fs::absolute(to_path(path), error);
  const fs::path resolved = fs::weakly_canonical(absolute, error);
  return error ? absolute : resolved;
}

bool is_special(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// A fresh file beside the target, removed again unless it takes the place of that.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& path, const fs::path& target) {
    try {
      file_.emplace(target.parent_path());
    } catch (const std::system_error& failed) {
      const bool absent = failed.code() == std::errc::no_such_file_or_directory;
      std::error_code error;
      // Some that are there take no files, whoever asks.
      const bool is_there = fs::is_directory(target.parent_path(), error);
      fail(path,
           absent && is_there
               ? fmt::format("the directory '{}' takes no new files", to_name(target.parent_path()))
               : fmt::format("{} in directory '{}'", failed.code().message(), to_name(target.parent_path())),
           absent && !is_there ? "create the directory first" : "choose a directory you may write to");
    }
  }

  const fs::path& name() const { return file_->path(); }

  void rename_to(const std::string& path, const fs::path& target) {
    try {
      file_->take_place_of(target);
    } catch (const std::system_error& failed) {
      fail(path, failed.code().message());
    }
  }

 private:
  std::optional<platform::FreshFile> file_;
};

// Renamed onto a link without an end, the document would take the place of the link.
void refuse_link_without_end(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(to_path(path), error))) return;
  const fs::file_status end = fs::status(to_path(path), error);
  if (fs::exists(end)) return;
  const fs::path next = fs::read_symlink(to_path(path), error);
  if (end.type() == fs::file_type::not_found)
    fail(path, fmt::format("it is a symbolic link to '{}', and that is not there", to_name(next)),
         "create the file that is meant, or remove the link");
  fail(path, fmt::format("it is a symbolic link to '{}', which leads to no file", to_name(next)),
       "remove the link, or choose another name");
}

fs::path checked_target(const std::string& path) {
  if (path.empty()) fail(path, "the name is empty", "give a file name, or - for standard output");
  refuse_link_without_end(path);
  const fs::path target = resolve(path);
  std::error_code error;
  if (fs::is_directory(target, error)) fail(path, "it is a directory", "give a file name");
  if (target.filename().empty()) fail(path, "it names no file", "give a file name");
  if (fs::exists(target, error))
    if (const std::error_code reason = platform::why_not_writable(target)) fail(path, reason.message());
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
