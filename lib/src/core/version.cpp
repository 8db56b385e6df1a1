#include "slideway/core/version.hpp"

#define SLIDEWAY_TEXT_OF(number) #number
#define SLIDEWAY_VERSION_TEXT(major, minor, patch) \
  SLIDEWAY_TEXT_OF(major) "." SLIDEWAY_TEXT_OF(minor) "." SLIDEWAY_TEXT_OF(patch)

namespace slideway {

const char* version() noexcept {
  return SLIDEWAY_VERSION_TEXT(SLIDEWAY_VERSION_MAJOR, SLIDEWAY_VERSION_MINOR, SLIDEWAY_VERSION_PATCH);
}

}  // namespace slideway
