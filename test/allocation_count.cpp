#include "test/allocation_count.hpp"

#if SLIDEWAY_COUNTS_ALLOCATIONS

#include <cstdlib>

namespace {

thread_local AllocationCount count;

void add(std::size_t bytes) {
  ++count.calls;
  count.bytes += bytes;
}

}  // namespace

extern "C" {
// The functions that malloc and its kin would call themselves.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  add(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
  add(number * size);
  return __libc_calloc(number, size);
}
void* realloc(void* pointer, std::size_t size) noexcept {
  add(size);
  return __libc_realloc(pointer, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  add(size);
  return __libc_memalign(alignment, size);
}
}

AllocationCount allocations() { return count; }

#else

AllocationCount allocations() { return {}; }

#endif
