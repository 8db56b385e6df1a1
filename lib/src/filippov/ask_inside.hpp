// A field that is not finite at a point, asked for inside its region: at the first depth of a few, in units of the size of the
// guard's terms, at which it is. A point computed to lie on a surface is no farther off it.
//
// It must not know how a point is moved inside.
#pragma once

#include <limits>

#include "slideway/core/types.hpp"

namespace slideway {

inline constexpr double kDepthsInside[] = {
    0, std::numeric_limits<double>::epsilon(), 4 * std::numeric_limits<double>::epsilon(),
    16 * std::numeric_limits<double>::epsilon(), 64 * std::numeric_limits<double>::epsilon()};

// Leaves in `inside` what move_by(depth, inside) makes of x at the first depth at which is_usable() holds; false where there is
// none.
template <class Move, class IsUsable>
bool ask_inside(ConstVectorRef x, Vector& inside, const Move& move_by, const IsUsable& is_usable) {
  for (const double depth : kDepthsInside) {
    inside = x;
    move_by(depth, inside);
    if (is_usable()) return true;
  }
  return false;
}

}  // namespace slideway
