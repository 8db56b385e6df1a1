// Counts what malloc is asked for in this thread, by taking malloc's place (glibc only, and not under a
// sanitizer, which takes it first).
#pragma once

#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SLIDEWAY_COUNTS_ALLOCATIONS 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef SLIDEWAY_COUNTS_ALLOCATIONS
#endif
#endif

struct AllocationCount {
  std::size_t calls = 0;
  std::size_t bytes = 0;
};

// Of this thread, since it started. Always zero where allocations can't be counted.
AllocationCount allocations();
