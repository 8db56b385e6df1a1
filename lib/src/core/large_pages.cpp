#include "slideway/core/large_pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace slideway {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// A page of 2 MiB takes no more time than 28 small ones. From a quarter of it on no record takes more than four times its memory.
constexpr std::size_t kLeastInLargePages = kLargePage / 4;

}  // namespace

void* allocate_pages(std::size_t bytes) {
  if (bytes < kLeastInLargePages) return ::operator new(bytes);
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = whole < bytes ? nullptr : std::aligned_alloc(kLargePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // A system without large pages refuses, and gives small ones.
  ::madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < kLeastInLargePages) {
    ::operator delete(memory);
  } else {
    std::free(memory);
  }
}

}  // namespace slideway
