#include "slideway/io/checkpoint_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "slideway/detail/core/paths.hpp"
#include "slideway/detail/core/platform/disk.hpp"

namespace slideway {

namespace {

constexpr const char* kLogEnding = ".log";
constexpr const char* kOtherLogEnding = ".log2";

std::string text_of(const std::string& path) {
  std::ifstream in(to_path(path), std::ios::binary);
  if (!in)
    throw CheckpointError(fmt::format("cannot read the checkpoint '{}': {}", path, std::strerror(errno)));
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The log that the checkpoint in the file needs; "" where there is none to be read.
std::string log_named_in(const std::string& path) {
  try {
    LogPosition end;
    return Checkpoint::log_file_of(text_of(path), end);
  } catch (const CheckpointError&) {
    return {};
  }
}

// beside() names a file beside the one that is meant, where `path` is a link to one.
std::string beside(const std::string& path, const std::string& name) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(to_path(path), error);
  return to_name((error ? to_path(path) : target).parent_path() / to_path(name));
}

// Cuts the file off at `length`, adds the text, and waits for the disk.
void add_to(const std::string& path, std::uint64_t length, const std::string& text) {
  try {
    platform::replace_end(to_path(path), length, text);
  } catch (const std::system_error& failed) {
    throw FileError(fmt::format("cannot write '{}': {}", path, failed.code().message()));
  }
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path) : path_(std::move(path)) {}

Checkpoint CheckpointFile::read() {
  const std::string document = text_of(path_);
  try {
    LogPosition end;
    const std::string log_file = Checkpoint::log_file_of(document, end);
    if (log_file.empty()) return Checkpoint::restore(document);
    const std::string log_path = beside(path_, log_file);
    std::string log = text_of(log_path);
    if (log.size() > end.bytes) log.resize(static_cast<std::size_t>(end.bytes));
    Checkpoint checkpoint = Checkpoint::restore(document, log);
    log_path_ = log_path;
    position_ = end;
    return checkpoint;
  } catch (const CheckpointError& error) {
    const std::string message = error.what();
    throw CheckpointError(message.find(path_) != std::string::npos ? message : path_ + ": " + message);
  }
}

void CheckpointFile::write(const Checkpoint& checkpoint) {
  std::string log_path = log_path_;
  std::string unneeded;
  if (log_path.empty()) {
    const std::string name = to_name(to_path(beside(path_, to_name(to_path(path_).filename()))).filename());
    const std::string used = log_named_in(path_);
    log_path = beside(path_, name + (used == name + kLogEnding ? kOtherLogEnding : kLogEnding));
    if (!used.empty()) unneeded = beside(path_, used);
  }
  LogPosition position = position_;
  const std::string lines = checkpoint.log_from(position);
  if (log_path_.empty() || !lines.empty()) add_to(log_path, position_.bytes, lines);
  const std::string document = checkpoint.document(position, to_name(to_path(log_path).filename()));
  write_whole(path_, [&](std::ostream& out) { out << document; });
  log_path_ = log_path;
  position_ = position;
  std::error_code ignored;
  if (!unneeded.empty()) std::filesystem::remove(to_path(unneeded), ignored);
}

}  // namespace slideway
