// Signs of guards that algebraic variables decide, while these are solved for: they stand in the graph as surfaces whose numbers no surface
// of the model has.
//
// It must not know how a sign is decided.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "expression/expression_graph.hpp"

namespace slideway::reader {

// Tapes have a place for every number below the largest one, so that it is not larger than it must be.
inline constexpr std::uint32_t kFirstOpenSign = 1'000'000;

inline bool is_open_sign(std::uint32_t surface) { return surface >= kFirstOpenSign; }

// The surfaces from `first` on that a node depends on.
inline std::vector<std::uint32_t> surfaces_from(const ExpressionGraph& graph, NodeId root,
                                                std::uint32_t first) {
  std::vector<std::uint32_t> surfaces;
  for (const NodeId id : graph.reachable({root})) {
    const Node& node = graph[id];
    const bool has_one = node.operation == Operation::lambda || node.operation == Operation::select;
    const std::uint32_t surface = node.operation == Operation::lambda ? node.a : node.c;
    if (has_one && surface >= first) surfaces.push_back(surface);
  }
  std::sort(surfaces.begin(), surfaces.end());
  surfaces.erase(std::unique(surfaces.begin(), surfaces.end()), surfaces.end());
  return surfaces;
}

// The node with a kink by a surface, or an open sign, decided by a guard.
inline NodeId with_sign_of(ExpressionGraph& graph, NodeId root, std::uint32_t surface, NodeId guard) {
  std::unordered_map<NodeId, NodeId> others;
  for (const NodeId id : graph.reachable({root})) {
    const Node node = graph[id];
    const bool is_select = node.operation == Operation::select && node.c == surface;
    if (is_select)
      others[id] = graph.choose(guard, graph.with_nodes(node.a, others), graph.with_nodes(node.b, others));
    else if (node.operation == Operation::lambda && node.a == surface)
      others[id] = graph.choose(guard, graph.constant(1), graph.constant(-1));
  }
  return graph.with_nodes(root, others);
}

}  // namespace slideway::reader
