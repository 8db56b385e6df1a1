// The archives that FMU files are: UnpackedFmu is the content of one in a folder of its own, and archive_of() makes one.
//
// It must not know what the files mean.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace slideway::fmi {

class UnpackedFmu {
 public:
  // Unpacks the archive into a new temporary folder. Throws std::invalid_argument where it is no zip archive, holds a path that leaves the
  // folder, a link, or more than 8 GB.
  explicit UnpackedFmu(const std::filesystem::path& archive);
  // Removes the folder.
  ~UnpackedFmu();
  UnpackedFmu(const UnpackedFmu&) = delete;
  UnpackedFmu& operator=(const UnpackedFmu&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// archive_of() returns an archive with these entries, by name, as bytes. The same entries give the same bytes. Throws std::runtime_error
// where there is no archive of them, as of a name that is too long.
std::string archive_of(const std::map<std::string, std::string>& entries);

}  // namespace slideway::fmi
