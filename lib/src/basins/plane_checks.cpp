#include "basins/plane_checks.hpp"

#include <cmath>
#include <string>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

void check_side(double low, double high, Index cells, const char* where) {
  if (!(std::isfinite(low) && std::isfinite(high) && low < high))
    refuse({.what = "the plane has no width",
            .where = where,
            .expected = "two finite numbers, the first below the second",
            .got = number_text(low) + " and " + number_text(high)});
  if (cells < 1)
    refuse({.what = "the plane has no cells",
            .where = where,
            .expected = "at least 1",
            .got = std::to_string(cells)});
}

void check_cells(Index across, Index up, Index most, const char* where) {
  if (across <= most / up) return;
  refuse({.what = "the plane has too many cells",
          .where = where,
          .expected = "at most " + std::to_string(most),
          .got = std::to_string(across) + " × " + std::to_string(up)});
}

}  // namespace slideway
