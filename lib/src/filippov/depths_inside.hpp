// How far inside its region a field is asked for where it is not finite, in units of the size of the guard's terms: at the first
// of these at which it is. A point computed to lie on a surface is no farther off it.
//
// It must not know how the point is found.
#pragma once

#include <limits>

namespace slideway {

inline constexpr double depths_inside[] = {
    0, std::numeric_limits<double>::epsilon(), 4 * std::numeric_limits<double>::epsilon(),
    16 * std::numeric_limits<double>::epsilon(), 64 * std::numeric_limits<double>::epsilon()};

}  // namespace slideway
