// LargePages allocates long records on large pages of memory, where the system has some: the first use of a page of 4 KiB costs 1.2 µs,
// that of one of 2 MiB 34 µs, and a recorded run uses each of its pages once. Each thread keeps up to 8 MiB of the blocks that it frees,
// so that the next run like the last one uses warm pages.
//
// It must not know what is recorded.
#pragma once

#include <cstddef>

namespace slideway {

// The most bytes that a thread keeps for its next records: those of 65,000 steps of two states, with 128 each.
inline constexpr std::size_t kMostKeptBytes = std::size_t{8} << 20;

// Allocates `bytes`; from 512 KiB on they begin a page of 2 MiB, and take whole ones. Throws std::bad_alloc.
void* allocate_pages(std::size_t bytes);
// Frees what allocate_pages(bytes) has returned, on any thread.
void free_pages(void* memory, std::size_t bytes) noexcept;

// The allocator for containers of the standard library.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_pages(memory, count * sizeof(T)); }
  bool operator==(const LargePages&) const = default;
};

}  // namespace slideway
