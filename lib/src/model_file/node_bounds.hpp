// Bounds of the value of a node over all times, states and unknowns, as far as its form tells them.
//
// It must not know model files.
#pragma once

#include "expression/expression_graph.hpp"

namespace slideway::reader {

// Whether a value is positive whatever time, states and unknowns are, or negative whatever they are; on a side of surfaces, and between.
// The answer false does not exclude it.
bool has_one_sign(const ExpressionGraph& graph, NodeId root);

}  // namespace slideway::reader
