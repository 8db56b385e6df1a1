#include "slideway/detail/core/large_pages.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace slideway {

TEST_CASE("a block that was freed serves the next request for the same size, small or on large pages") {
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{3} << 19}) {
    void* const first = allocate_pages(bytes);
    std::memset(first, 1, bytes);
    free_pages(first, bytes);
    void* const other = allocate_pages(2 * bytes);
    CHECK(other != first);
    void* const again = allocate_pages(bytes);
    CHECK(again == first);
    std::memset(again, 2, bytes);
    free_pages(other, 2 * bytes);
    free_pages(again, bytes);
  }
}

TEST_CASE("two blocks of one size are in use at the same time, and each is its own") {
  constexpr std::size_t bytes = 8192;
  void* const a = allocate_pages(bytes);
  free_pages(a, bytes);
  void* const b = allocate_pages(bytes);
  void* const c = allocate_pages(bytes);
  CHECK(b != c);
  free_pages(b, bytes);
  free_pages(c, bytes);
}

TEST_CASE("blocks that another thread has freed, more than it keeps, are each given out once") {
  constexpr std::size_t bytes = std::size_t{1} << 20, count = 2 * kMostKeptBytes / bytes;
  const auto allocate_all = [] {
    std::vector<void*> blocks;
    for (std::size_t k = 0; k < count; ++k) blocks.push_back(allocate_pages(bytes));
    return blocks;
  };
  const auto free_all = [](const std::vector<void*>& blocks) {
    for (void* const block : blocks) free_pages(block, bytes);
  };
  const std::vector<void*> blocks = allocate_all();
  std::thread([&] {
    free_all(blocks);
    const std::vector<void*> again = allocate_all();
    for (std::size_t k = 0; k < count; ++k) std::memset(again[k], static_cast<int>(k), bytes);
    for (std::size_t k = 0; k < count; ++k)
      CHECK(static_cast<const unsigned char*>(again[k])[bytes - 1] == static_cast<unsigned char>(k));
    free_all(again);
  }).join();
}

}  // namespace slideway
