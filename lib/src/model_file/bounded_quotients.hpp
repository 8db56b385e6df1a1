// Quotients that have no value where certain surfaces meet, but bounds that they keep to all round: the control of a quasi-continuous
// controller, (y + √|x|·sgn x)/(|y| + √|x|), which is ±1 in two whole quadrants and between these in the others. Where x and y stay
// zero it may be anything between its bounds, as a relay may.
// It must not know how a solution stays there.
#pragma once

#include <vector>

#include "model_file/lowering.hpp"

namespace slideway::reader {

// The derivatives with the bound times the λ of one of these surfaces in place of such quotients; what it was given where there are
// none. `zeros`, sorted, are nodes that are zero where the surfaces meet.
std::vector<NodeId> with_bounded_quotients(ExpandedModel& model, const std::vector<NodeId>& derivatives,
                                           const std::vector<Index>& surfaces,
                                           const std::vector<NodeId>& zeros);

}  // namespace slideway::reader
