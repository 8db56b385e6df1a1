// An Index as the containers of the standard library count, which is without a sign.
//
// It must not know what is counted.
#pragma once

#include <cstddef>

#include "slideway/core/types.hpp"

namespace slideway {

constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace slideway
