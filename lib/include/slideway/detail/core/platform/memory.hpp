// Memory in large pages, on systems that have them.
//
// It must not know what is kept there.
#pragma once

#include <cstddef>

namespace slideway::platform {

// The size of a large page on x86-64, 2 MiB.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

// allocate_large_pages() returns whole large pages for `bytes`, or null where there is no memory left.
void* allocate_large_pages(std::size_t bytes) noexcept;
void free_large_pages(void* memory) noexcept;

}  // namespace slideway::platform
