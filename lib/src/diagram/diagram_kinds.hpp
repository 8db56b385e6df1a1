// The kinds of attractors and of other ends in a diagram.
//
// It must not know where cells lie.
#pragma once

#include <vector>

#include "diagram/diagram_cell.hpp"

namespace slideway {

// sort_into_kinds() tells the kinds of all ends, which are forwards and backwards, and the kind of each; null ends are not followed.
struct SortedKinds {
  std::vector<DiagramKind> kinds = {};
  std::vector<int> numbers = {};  // places in `kinds`, one for each end; −1 of null ends
};
SortedKinds sort_into_kinds(const std::vector<const CellEnd*>& ends, bool is_autonomous);

}  // namespace slideway
