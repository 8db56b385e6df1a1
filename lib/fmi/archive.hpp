// UnpackedFmu is the content of an FMU file in a folder of its own.
//
// It must not know what the files mean.
#pragma once

#include <filesystem>

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

}  // namespace slideway::fmi
