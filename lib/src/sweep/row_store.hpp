// The rows of a sweep by their runs, in memory that does not grow with them: from some size on they are in a file without a name, which
// is gone with the process whatever becomes of it.
//
// It must not know what a row means.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/detail/core/platform/disk.hpp"

namespace slideway {

class RowStore {
 public:
  // The file is made in this directory when it is needed.
  RowStore(Index runs, std::string directory);

  Index runs() const { return runs_; }
  bool has(Index run) const;
  // A run has one row.
  void put(Index run, const std::string& row);
  std::string row(Index run) const;

  // The rows that are there now are those before this moment.
  std::uint64_t now() const;
  // The rows that were there at that moment, in the order of the runs.
  void for_each(std::uint64_t moment, const std::function<void(const std::string&)>& use) const;

 private:
  class Window;

  std::uint64_t place_of(Index run) const;
  void places_of(Index first, std::vector<std::uint64_t>& places) const;
  void read(std::uint64_t offset, void* bytes, std::size_t count) const;

  Index runs_;
  std::string directory_;
  mutable std::mutex mutex_;
  std::vector<bool> is_there_;
  // Places are offsets, counted from 1; 0 is none.
  std::vector<std::uint64_t> places_;  // of a small sweep; a large one has them in the file
  platform::NamelessFile places_file_;
  std::string tail_;           // the bytes from written_ on
  std::uint64_t written_ = 0;  // bytes in the file
  platform::NamelessFile rows_file_;
};

}  // namespace slideway
