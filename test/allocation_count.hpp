// Counts what a program asks of malloc, for tests of what asks for nothing or for little. The count is taken where all of it
// comes from, in malloc itself, so this needs glibc, and no sanitizer, which would replace malloc too:
// SLIDEWAY_COUNTS_ALLOCATIONS tells whether there is a count.
//
// It must not know what is counted.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#define SLIDEWAY_HAS_FEATURE(feature) __has_feature(feature)
#else
#define SLIDEWAY_HAS_FEATURE(feature) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !SLIDEWAY_HAS_FEATURE(address_sanitizer) && !SLIDEWAY_HAS_FEATURE(thread_sanitizer) &&   \
    !SLIDEWAY_HAS_FEATURE(memory_sanitizer)
#define SLIDEWAY_COUNTS_ALLOCATIONS 1
#else
#define SLIDEWAY_COUNTS_ALLOCATIONS 0
#endif

struct AllocationCount {
  std::size_t calls = 0;
  std::size_t bytes = 0;
};

// The allocations of this thread since it started. Always zero where allocations cannot be counted.
AllocationCount allocations();
