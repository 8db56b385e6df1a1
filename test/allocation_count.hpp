// Counts what a program asks of malloc, for tests of what asks for nothing. The count is taken where all of it comes from,
// in malloc itself, so this needs glibc, and no sanitizer, which would replace malloc too: SLIDEWAY_COUNTS_ALLOCATIONS tells
// whether `allocations` is there. To be included in one source file of a program only.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#define SLIDEWAY_HAS_FEATURE(feature) __has_feature(feature)
#else
#define SLIDEWAY_HAS_FEATURE(feature) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !SLIDEWAY_HAS_FEATURE(address_sanitizer) && !SLIDEWAY_HAS_FEATURE(thread_sanitizer)
#define SLIDEWAY_COUNTS_ALLOCATIONS 1

namespace {

thread_local long allocations = 0;

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* pointer, std::size_t size) {
  ++allocations;
  return __libc_realloc(pointer, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

#else
#define SLIDEWAY_COUNTS_ALLOCATIONS 0
#endif
