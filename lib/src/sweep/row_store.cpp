#include "sweep/row_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "slideway/io/files.hpp"

namespace slideway {

namespace {

constexpr std::size_t kBytesInMemory = 16 << 20;
constexpr std::size_t kBytesAtOnce = 1 << 20;
constexpr Index kPlacesInMemory = 1 << 17;
constexpr Index kPlacesAtOnce = 4096;

// A row in the file has its length before it.
using Length = std::uint32_t;

[[noreturn]] void cannot(const std::string& what, int error) {
  throw FileError(fmt::format("cannot {} the rows of the sweep between: {}", what, std::strerror(error)));
}

}  // namespace

NamelessFile::~NamelessFile() {
  if (is_open()) close(descriptor_);
}

void NamelessFile::open(const std::string& directory) {
  std::string path = (std::filesystem::path(directory) / ".slideway-rows-XXXXXX").string();
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    throw FileError(fmt::format("cannot make a file for the rows of the sweep in '{}': {}", directory,
                                std::strerror(errno)));
  unlink(path.c_str());
}

void NamelessFile::write(const void* bytes, std::size_t count, std::uint64_t offset) const {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = pwrite(descriptor_, from, count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot("keep", errno);
    from += written;
    offset += static_cast<std::uint64_t>(written);
    count -= static_cast<std::size_t>(written);
  }
}

void NamelessFile::read(void* bytes, std::size_t count, std::uint64_t offset) const {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = pread(descriptor_, to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot("read", errno);
    if (got == 0) {
      std::memset(to, 0, count);
      return;
    }
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

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
    if (!rows_file_.is_open()) rows_file_.open(directory_);
    rows_file_.write(tail_.data(), tail_.size(), written_);
    written_ += tail_.size();
    tail_.clear();
    if (tail_.capacity() > 2 * kBytesAtOnce) tail_.shrink_to_fit();
  }
  if (places_.empty()) {
    if (!places_file_.is_open()) places_file_.open(directory_);
    places_file_.write(&place, sizeof place, static_cast<std::uint64_t>(run) * sizeof place);
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
    places_file_.read(&place, sizeof place, static_cast<std::uint64_t>(run) * sizeof place);
  return place;
}

void RowStore::places_of(Index first, std::vector<std::uint64_t>& places) const {
  if (places_.empty()) {
    std::fill(places.begin(), places.end(), 0);
    if (places_file_.is_open())
      places_file_.read(places.data(), places.size() * sizeof places[0],
                        static_cast<std::uint64_t>(first) * sizeof places[0]);
  } else {
    std::copy_n(places_.begin() + first, places.size(), places.begin());
  }
}

void RowStore::read(std::uint64_t offset, void* bytes, std::size_t count) const {
  if (offset < written_) {
    rows_file_.read(bytes, count, offset);
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
      store_.rows_file_.read(bytes_.data(), bytes_.size(), offset);
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
