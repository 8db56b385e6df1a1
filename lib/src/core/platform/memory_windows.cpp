#include "core/platform/system_error_windows.hpp"
#include "slideway/detail/core/platform/memory.hpp"

namespace slideway::platform {

// Windows gives large pages only to users with a privilege of their own, so these are small ones.
void* allocate_large_pages(std::size_t bytes) noexcept {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void free_large_pages(void* memory) noexcept {
  if (memory != nullptr) VirtualFree(memory, 0, MEM_RELEASE);
}

}  // namespace slideway::platform
