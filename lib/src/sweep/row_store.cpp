#include "sweep/row_store.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"

namespace slideway {

namespace {

constexpr std::size_t kBytesInMemory = 16 << 20;
constexpr std::size_t kBytesAtOnce = 1 << 20;
constexpr Index kPlacesInMemory = 1 << 17;
constexpr Index kPlacesAtOnce = 4096;

// A row in the file has its length before it.
using Length = std::uint32_t;

// Does what the disk may refuse; `what` says in the message what that is.
template <class Work>
void on_disk(const char* what, const Work& work) {
  try {
    work();
  } catch (const std::system_error& failed) {
    throw FileError(
        fmt::format("cannot {} the rows of the sweep between: {}", what, failed.code().message()));
  }
}

void open_in(platform::NamelessFile& file, const std::string& directory) {
  try {
    file.open(to_path(directory));
  } catch (const std::system_error& failed) {
    throw FileError(fmt::format("cannot make a file for the rows of the sweep in '{}': {}", directory,
                                failed.code().message()));
  }
}

void write_to(const platform::NamelessFile& file, const void* bytes, std::size_t count,
              std::uint64_t offset) {
  on_disk("keep", [&] { file.write(bytes, count, offset); });
}

void read_from(const platform::NamelessFile& file, void* bytes, std::size_t count, std::uint64_t offset) {
  on_disk("read", [&] { file.read(bytes, count, offset); });
}

}  // namespace

RowStore::RowStore(Index runs, std::string directory)
    : runs_(runs), directory_(std::move(directory)), is_there_(static_cast<std::size_t>(runs), false) {
  if (runs <= kPlacesInMemory) places_.resize(static_cast<std::size_t>(runs), 0);
}

bool RowStore::has(Index run) const {
  const std::lock_guard lock(mutex_);
  return is_there_[static_cast<std::size_t>(run)];
}

void RowStore::put(Index run, const std::string& row) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t place = written_ + tail_.size() + 1;
  const auto length = static_cast<Length>(row.size());
  tail_.append(reinterpret_cast<const char*>(&length), sizeof length);
  tail_ += row;
  if (tail_.size() >= (rows_file_.is_open() ? kBytesAtOnce : kBytesInMemory)) {
    if (!rows_file_.is_open()) open_in(rows_file_, directory_);
    write_to(rows_file_, tail_.data(), tail_.size(), written_);
    written_ += tail_.size();
    tail_.clear();
    if (tail_.capacity() > 2 * kBytesAtOnce) tail_.shrink_to_fit();
  }
  if (places_.empty()) {
    if (!places_file_.is_open()) open_in(places_file_, directory_);
    write_to(places_file_, &place, sizeof place, static_cast<std::uint64_t>(run) * sizeof place);
  } else {
    places_[static_cast<std::size_t>(run)] = place;
  }
  is_there_[static_cast<std::size_t>(run)] = true;
}

// The lock is held by whoever calls these.
std::uint64_t RowStore::place_of(Index run) const {
  if (!places_.empty()) return places_[static_cast<std::size_t>(run)];
  std::uint64_t place = 0;
  if (places_file_.is_open())
    read_from(places_file_, &place, sizeof place, static_cast<std::uint64_t>(run) * sizeof place);
  return place;
}

void RowStore::places_of(Index first, std::vector<std::uint64_t>& places) const {
  if (places_.empty()) {
    std::fill(places.begin(), places.end(), 0);
    if (places_file_.is_open())
      read_from(places_file_, places.data(), places.size() * sizeof places[0],
                static_cast<std::uint64_t>(first) * sizeof places[0]);
  } else {
    std::copy_n(places_.begin() + first, places.size(), places.begin());
  }
}

void RowStore::read(std::uint64_t offset, void* bytes, std::size_t count) const {
  if (offset < written_) {
    read_from(rows_file_, bytes, count, offset);
  } else {
    std::memcpy(bytes, tail_.data() + (offset - written_), count);
  }
}

std::string RowStore::row(Index run) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t offset = place_of(run) - 1;
  Length length = 0;
  read(offset, &length, sizeof length);
  std::string row(length, '\0');
  read(offset + sizeof length, row.data(), length);
  return row;
}

std::uint64_t RowStore::now() const {
  const std::lock_guard lock(mutex_);
  return written_ + tail_.size();
}

// A piece of the file. Rows that follow one another are mostly beside each other there, too.
class RowStore::Window {
 public:
  explicit Window(const RowStore& store) : store_(store) {}

  void copy(std::uint64_t offset, void* bytes, std::size_t count) {
    if (offset >= store_.written_) return store_.read(offset, bytes, count);
    if (offset < begin_ || offset + count > begin_ + bytes_.size()) {
      const std::uint64_t there = store_.written_ - offset;
      bytes_.resize(
          static_cast<std::size_t>(std::min<std::uint64_t>(there, std::max<std::size_t>(count, kWindow))));
      read_from(store_.rows_file_, bytes_.data(), bytes_.size(), offset);
      begin_ = offset;
    }
    std::memcpy(bytes, bytes_.data() + (offset - begin_), count);
  }

 private:
  static constexpr std::size_t kWindow = 1 << 16;
  const RowStore& store_;
  std::string bytes_;
  std::uint64_t begin_ = 0;
};

void RowStore::for_each(std::uint64_t moment, const std::function<void(const std::string&)>& use) const {
  Window window(*this);
  std::vector<std::uint64_t> places;
  std::vector<std::string> rows;
  for (Index first = 0; first < runs_; first += kPlacesAtOnce) {
    rows.clear();
    {
      const std::lock_guard lock(mutex_);
      places.resize(static_cast<std::size_t>(std::min(kPlacesAtOnce, runs_ - first)));
      places_of(first, places);
      for (const std::uint64_t place : places) {
        if (place == 0 || place > moment) continue;
        Length length = 0;
        window.copy(place - 1, &length, sizeof length);
        window.copy(place - 1 + sizeof length, rows.emplace_back(length, '\0').data(), length);
      }
    }
    for (const std::string& row : rows) use(row);
  }
}

}  // namespace slideway
