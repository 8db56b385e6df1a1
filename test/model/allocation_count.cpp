#include "test/model/allocation_count.hpp"

#include <cstdlib>

#ifdef SLIDEWAY_COUNTS_ALLOCATIONS

namespace {
thread_local AllocationCount count;
}

extern "C" {
void* __libc_malloc(std::size_t size);  // what malloc itself would call

void* malloc(std::size_t size) noexcept {
  ++count.calls;
  count.bytes += size;
  return __libc_malloc(size);
}
}

AllocationCount allocations() { return count; }

#else

AllocationCount allocations() { return {}; }

#endif
