#include <sys/mman.h>

#include <cstdlib>

#include "slideway/detail/core/platform/memory.hpp"

namespace slideway::platform {

void* allocate_large_pages(std::size_t bytes) noexcept {
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = whole < bytes ? nullptr : std::aligned_alloc(kLargePage, whole);
#ifdef MADV_HUGEPAGE
  // A system without large pages refuses, and gives small ones.
  if (memory != nullptr) ::madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_large_pages(void* memory) noexcept { std::free(memory); }

}  // namespace slideway::platform
