#include "lib/fmi/archive.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <zip.h>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/disk.hpp"

namespace slideway::fmi {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;

struct ZipCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, ZipCloser>;
using Entry = std::unique_ptr<zip_file_t, ZipCloser>;

Archive open_archive(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    refuse({.what = "there is no such file", .where = path.string(), .expected = "an FMU"});
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  refuse({.what = "this is no FMU", .where = path.string(), .expected = "a zip archive", .got = reason});
}

// The place of an entry. A name that leads out of the folder is refused, on any system.
std::filesystem::path place_in(const std::filesystem::path& folder, const std::string& name,
                               const std::filesystem::path& archive) {
  const std::filesystem::path relative(name);
  bool leaves = relative.is_absolute() || name.find('\\') != std::string::npos ||
                name.find(':') != std::string::npos || name.empty();
  for (const std::filesystem::path& part : relative) leaves = leaves || part == "..";
  if (leaves)
    refuse({.what = "a file of the archive would be written outside its folder",
            .where = archive.string(),
            .expected = "relative names without '..', ':' and '\\'",
            .got = "'" + name + "'"});
  return folder / relative;
}

bool is_link(zip_t* archive, zip_uint64_t k) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, k, 0, &system, &attributes) != 0) return false;
  constexpr std::uint32_t kind_mask = 0170000, link_kind = 0120000;
  return system == ZIP_OPSYS_UNIX && ((attributes >> 16) & kind_mask) == link_kind;
}

void unpack(zip_t* archive, zip_uint64_t k, const std::filesystem::path& target,
            const std::filesystem::path& of, std::uint64_t& bytes_left) {
  const auto refuse_entry = [&](const std::string& reason) {
    refuse({.what = "a file of the archive cannot be read",
            .where = of.string() + ", '" + target.filename().string() + "'",
            .got = reason});
  };
  const Entry entry(zip_fopen_index(archive, k, 0));
  if (!entry) refuse_entry(zip_strerror(archive));
  std::ofstream file(target, std::ios::binary);
  std::array<char, 65536> block{};
  for (zip_int64_t count = 0; (count = zip_fread(entry.get(), block.data(), block.size())) != 0;) {
    if (count < 0) refuse_entry(zip_file_strerror(entry.get()));
    if (static_cast<std::uint64_t>(count) > bytes_left)
      refuse({.what = "the archive holds too much", .where = of.string(), .expected = "at most 8 GB"});
    bytes_left -= static_cast<std::uint64_t>(count);
    file.write(block.data(), static_cast<std::streamsize>(count));
  }
  file.close();
  if (!file)
    throw std::runtime_error(fmt::format("{}: cannot be written; is the disk full?", target.string()));
}

void unpack_all(zip_t* archive, const std::filesystem::path& folder, const std::filesystem::path& of) {
  const zip_int64_t entries = zip_get_num_entries(archive, 0);
  std::uint64_t bytes_left = most_bytes;
  for (zip_uint64_t k = 0; k < static_cast<zip_uint64_t>(entries); ++k) {
    const char* const text = zip_get_name(archive, k, ZIP_FL_ENC_GUESS);
    const std::string name = text != nullptr ? text : "";
    const std::filesystem::path target = place_in(folder, name, of);
    if (name.ends_with('/')) {
      std::filesystem::create_directories(target);
      continue;
    }
    if (is_link(archive, k))
      refuse({.what = "the archive holds a link",
              .where = of.string(),
              .expected = "files and folders",
              .got = "'" + name + "'"});
    std::filesystem::create_directories(target.parent_path());
    unpack(archive, k, target, of, bytes_left);
  }
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

}  // namespace slideway::fmi
