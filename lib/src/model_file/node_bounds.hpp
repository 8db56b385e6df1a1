// Bounds of the value of a node over all times, states and unknowns, as far as its form tells them.
//
// It must not know model files.
#pragma once

#include <cstdint>
#include <limits>

#include "expression/expression_graph.hpp"
#include "slideway/core/types.hpp"

namespace slideway::reader {

// States from this one on are parameters, with these values.
struct KnownStates {
  std::uint32_t from = std::numeric_limits<std::uint32_t>::max();
  Vector values = {};  // of all states
};

// has_one_sign() tells whether a value is positive whatever time, states and unknowns are, or negative whatever
// they are; on a side of surfaces, and between. The answer false does not exclude it.
bool has_one_sign(const ExpressionGraph& graph, NodeId root, const KnownStates& known = {});

// is_positive() tells whether a value is positive whatever time, states and unknowns are.
bool is_positive(const ExpressionGraph& graph, NodeId root, const KnownStates& known = {});

// is_within() tells whether a value is between −most and most, whatever time, states and unknowns are.
bool is_within(const ExpressionGraph& graph, NodeId root, double most, const KnownStates& known = {});

// is_never_zero() tells whether a value is seen never to be zero; exponentials come near to it.
bool is_never_zero(const ExpressionGraph& graph, NodeId root, const KnownStates& known = {});

}  // namespace slideway::reader
