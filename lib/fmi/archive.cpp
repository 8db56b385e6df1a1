#include "lib/fmi/archive.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/disk.hpp"

namespace slideway::fmi {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;

struct ArchiveCloser {
  void operator()(void* archive) const { unzClose(archive); }
};
using Archive = std::unique_ptr<void, ArchiveCloser>;

// An archive at the place of one of its entries.
struct Entry {
  void* archive = nullptr;
  std::string name = {};
  unz_file_info64 about = {};
};

Archive open_archive(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    refuse({.what = "there is no such file", .where = path.string(), .expected = "an FMU"});
  Archive archive(unzOpen64(path.c_str()));
  if (archive) return archive;
  refuse({.what = "this is no FMU", .where = path.string(), .expected = "a zip archive"});
}

Entry entry_here(void* archive, const std::filesystem::path& of) {
  Entry entry{.archive = archive};
  if (unzGetCurrentFileInfo64(archive, &entry.about, nullptr, 0, nullptr, 0, nullptr, 0) == UNZ_OK) {
    entry.name.resize(entry.about.size_filename);
    if (unzGetCurrentFileInfo64(archive, &entry.about, entry.name.data(), entry.name.size(), nullptr, 0,
                                nullptr, 0) == UNZ_OK)
      return entry;
  }
  refuse({.what = "the archive cannot be read",
          .where = of.string(),
          .expected = "a zip archive that is whole"});
}

// The place of an entry. A name that leads out of the folder is refused, on any system.
std::filesystem::path place_in(const std::filesystem::path& folder, std::string name,
                               const std::filesystem::path& archive) {
  // Some tools for Windows write names with its separator.
  std::replace(name.begin(), name.end(), '\\', '/');
  const std::filesystem::path relative(name);
  bool leaves = relative.is_absolute() || name.find(':') != std::string::npos || name.empty();
  for (const std::filesystem::path& part : relative) leaves = leaves || part == "..";
  if (leaves)
    refuse({.what = "a file of the archive would be written outside its folder",
            .where = archive.string(),
            .expected = "relative names without '..' and ':'",
            .got = "'" + name + "'"});
  return folder / relative;
}

bool is_link(const Entry& entry) {
  constexpr std::uint32_t unix_system = 3, kind_mask = 0170000, link_kind = 0120000;
  const auto attributes = static_cast<std::uint32_t>(entry.about.external_fa);
  return entry.about.version >> 8 == unix_system && ((attributes >> 16) & kind_mask) == link_kind;
}

void unpack(const Entry& entry, const std::filesystem::path& target, const std::filesystem::path& of,
            std::uint64_t& bytes_left) {
  const auto refuse_entry = [&](const std::string& reason) {
    refuse({.what = "a file of the archive cannot be read",
            .where = of.string() + ", '" + target.filename().string() + "'",
            .got = reason});
  };
  constexpr unsigned long is_encrypted = 1;
  if ((entry.about.flag & is_encrypted) != 0) refuse_entry("it is encrypted");
  if (unzOpenCurrentFile(entry.archive) != UNZ_OK)
    refuse_entry("it is damaged, or compressed by a method that is not known");
  std::ofstream file(target, std::ios::binary);
  std::array<char, 65536> block{};
  int count = 0;
  while ((count = unzReadCurrentFile(entry.archive, block.data(), block.size())) > 0) {
    if (static_cast<std::uint64_t>(count) > bytes_left)
      refuse({.what = "the archive holds too much", .where = of.string(), .expected = "at most 8 GB"});
    bytes_left -= static_cast<std::uint64_t>(count);
    file.write(block.data(), count);
  }
  if (unzCloseCurrentFile(entry.archive) != UNZ_OK || count < 0) refuse_entry("it is damaged");
  file.close();
  if (!file)
    throw std::runtime_error(fmt::format("{}: cannot be written; is the disk full?", target.string()));
}

void unpack_all(void* archive, const std::filesystem::path& folder, const std::filesystem::path& of) {
  std::uint64_t bytes_left = most_bytes;
  for (int found = unzGoToFirstFile(archive); found == UNZ_OK; found = unzGoToNextFile(archive)) {
    const Entry entry = entry_here(archive, of);
    const std::filesystem::path target = place_in(folder, entry.name, of);
    if (entry.name.ends_with('/') || entry.name.ends_with('\\')) {
      std::filesystem::create_directories(target);
      continue;
    }
    if (is_link(entry))
      refuse({.what = "the archive holds a link",
              .where = of.string(),
              .expected = "files and folders",
              .got = "'" + entry.name + "'"});
    std::filesystem::create_directories(target.parent_path());
    unpack(entry, target, of, bytes_left);
  }
}

// A file in memory, as the writer of archives sees it.
struct FileInMemory {
  std::string bytes = {};
  std::size_t place = 0;
};

FileInMemory& in_memory(void* stream) { return *static_cast<FileInMemory*>(stream); }

uLong read_memory(void*, void* stream, void* block, uLong size) {
  FileInMemory& file = in_memory(stream);
  const std::size_t count = std::min<std::size_t>(size, file.bytes.size() - file.place);
  std::copy_n(file.bytes.data() + file.place, count, static_cast<char*>(block));
  file.place += count;
  return count;
}

uLong write_memory(void*, void* stream, const void* block, uLong size) {
  FileInMemory& file = in_memory(stream);
  if (file.bytes.size() < file.place + size) file.bytes.resize(file.place + size);
  std::copy_n(static_cast<const char*>(block), size, file.bytes.data() + file.place);
  file.place += size;
  return size;
}

long seek_memory(void*, void* stream, ZPOS64_T offset, int origin) {
  FileInMemory& file = in_memory(stream);
  const std::size_t from = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                           : origin == ZLIB_FILEFUNC_SEEK_CUR ? file.place
                                                              : file.bytes.size();
  if (offset > file.bytes.size() - from) return -1;
  file.place = from + offset;
  return 0;
}

// The functions of a file whose name is the address of its content.
zlib_filefunc64_def functions_of_memory(FileInMemory& file) {
  zlib_filefunc64_def functions = {};
  functions.zopen64_file = [](void* opaque, const void*, int) { return opaque; };
  functions.zread_file = &read_memory;
  functions.zwrite_file = &write_memory;
  functions.ztell64_file = [](void*, void* stream) -> ZPOS64_T { return in_memory(stream).place; };
  functions.zseek64_file = &seek_memory;
  functions.zclose_file = [](void*, void*) { return 0; };
  functions.zerror_file = [](void*, void*) { return 0; };
  functions.opaque = &file;
  return functions;
}

bool add_entry(void* archive, const std::string& name, const std::string& content) {
  zip_fileinfo about = {};
  about.dosDate = 0x00210000;  // the first of January 1980, so that the same entries give the same bytes
  // The binary is large, and little is gained of it by more than the least effort.
  constexpr int least_effort = 1;
  constexpr unsigned long version = 20, names_are_utf8 = 1UL << 11;
  if (zipOpenNewFileInZip4_64(archive, name.c_str(), &about, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                              least_effort, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0,
                              version, names_are_utf8, 0) != ZIP_OK)
    return false;
  constexpr std::size_t most_at_once = std::size_t{1} << 30;
  bool is_written = true;
  for (std::size_t from = 0; is_written && from < content.size(); from += most_at_once)
    is_written =
        zipWriteInFileInZip(archive, content.data() + from,
                            static_cast<unsigned>(std::min(most_at_once, content.size() - from))) == ZIP_OK;
  return zipCloseFileInZip(archive) == ZIP_OK && is_written;
}

}  // namespace

UnpackedFmu::UnpackedFmu(const std::filesystem::path& archive) {
  const Archive opened = open_archive(archive);
  folder_ = platform::make_temporary_directory();
  try {
    unpack_all(opened.get(), folder_, archive);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw;
  }
}

UnpackedFmu::~UnpackedFmu() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string archive_of(const std::map<std::string, std::string>& entries) {
  FileInMemory file;
  zlib_filefunc64_def functions = functions_of_memory(file);
  void* const archive = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  bool is_written = archive != nullptr;
  for (const auto& [name, content] : entries) is_written = is_written && add_entry(archive, name, content);
  if (archive != nullptr) is_written = zipClose(archive, nullptr) == ZIP_OK && is_written;
  if (!is_written) throw std::runtime_error("the archive cannot be made");
  return std::move(file.bytes);
}

}  // namespace slideway::fmi
