// The checks of a plane of cells that basins and diagrams share: its width, and its number of cells.
//
// It must not know what the sides of a plane mean.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

// Refuses an interval without width, and a side without cells. `where` names the side in messages.
void check_side(double low, double high, Index cells, const char* where);
// Refuses more cells in all than `most`.
void check_cells(Index across, Index up, Index most, const char* where);

}  // namespace slideway
