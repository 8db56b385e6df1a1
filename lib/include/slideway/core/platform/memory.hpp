// Memory that begins a large page, where the system has some.
//
// It must not know what is kept there.
#pragma once

#include <cstddef>

namespace slideway::platform {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

// Whole large pages for `bytes`; null where memory is out.
void* allocate_large_pages(std::size_t bytes) noexcept;
void free_large_pages(void* memory) noexcept;

}  // namespace slideway::platform
