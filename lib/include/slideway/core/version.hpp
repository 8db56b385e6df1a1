// The version of the library, as compiled and as linked.
#pragma once

#define SLIDEWAY_VERSION_MAJOR 0
#define SLIDEWAY_VERSION_MINOR 1
#define SLIDEWAY_VERSION_PATCH 0

namespace slideway {

// "major.minor.patch" of the library that is linked.
const char* version() noexcept;

}  // namespace slideway
