// make_multi_affine: what is not affine in each λ separately becomes the blend of its corners.

#include <algorithm>

#include "model_file/lowering.hpp"

namespace slideway::reader {
namespace {

using Surfaces = std::vector<std::uint32_t>;  // ascending

struct TooMany {
  NodeId node;
  std::size_t surfaces;
};

class CornerBlender {
 public:
  explicit CornerBlender(ExpressionGraph& graph) : graph_(graph) {}

  std::vector<NodeId> blend(const std::vector<NodeId>& roots) {
    const std::vector<NodeId> nodes = graph_.reachable(roots);
    replaced_.assign(graph_.size(), 0);
    for (const NodeId id : nodes) {
      current_ = id;
      replaced_[id] = graph_.has_lambda(id) ? replace(graph_[id], id) : id;
    }
    std::vector<NodeId> result;
    for (const NodeId root : roots) result.push_back(replaced_[root]);
    return result;
  }

 private:
  NodeId replace(const Node node, NodeId id) {
    const int operands = operand_count(node.operation);
    if (operands == 0) return id;
    const NodeId a = replaced_[node.a];
    const NodeId b = operands > 1 ? replaced_[node.b] : 0;
    const NodeId c = operands > 2 ? replaced_[node.c] : node.c;
    // On a side of surface k, λₖ is known in everything that is needed only there.
    if (node.operation == Operation::select)
      return graph_.select(node.c, restrict_to(a, node.c, 1), restrict_to(b, node.c, -1));
    corners_ = 0;
    return corners(node, a, b, c);
  }

  // The operation on its operands, blended over the surfaces in which it is not affine.
  NodeId corners(const Node& node, NodeId a, NodeId b, NodeId c) {
    const Surfaces surfaces = shared(node, a, b, c);
    if (surfaces.empty()) {
      if (++corners_ > (std::size_t{1} << TooManyCorners::most))
        throw TooMany{current_, shared(node, replaced_[node.a],
                                       operand_count(node.operation) > 1 ? replaced_[node.b] : 0,
                                       operand_count(node.operation) > 2 ? replaced_[node.c] : node.c)
                                    .size()};
      return graph_.rebuild(node, a, b, c);
    }
    const std::uint32_t k = outermost(a, surfaces);
    const auto corner = [&](int sign) {
      const int operands = operand_count(node.operation);
      return corners(node, restrict_to(a, k, sign), operands > 1 ? restrict_to(b, k, sign) : b,
                     operands > 2 ? restrict_to(c, k, sign) : c);
    };
    const NodeId plus = corner(1);
    return graph_.select(k, plus, corner(-1));
  }

  // One of these surfaces. Where the sides of one hide others, as those of a table do, it is that one, so that the others are asked on one
  // side alone.
  std::uint32_t outermost(NodeId id, const Surfaces& surfaces) const {
    while (graph_.has_lambda(id)) {
      const Node& node = graph_[id];
      const bool is_relay = node.operation == Operation::lambda;
      if (is_relay || node.operation == Operation::select) {
        const std::uint32_t k = is_relay ? node.a : node.c;
        if (std::binary_search(surfaces.begin(), surfaces.end(), k)) return k;
        if (is_relay) break;
      }
      const bool second = !graph_.has_lambda(node.a);
      id = !second ? node.a : graph_.has_lambda(node.b) ? node.b : node.c;
    }
    return surfaces.back();
  }

  // The surfaces in whose λ the operation is not affine though its operands are.
  Surfaces shared(const Node& node, NodeId a, NodeId b, NodeId c) {
    Surfaces result;
    switch (node.operation) {
      case Operation::negate:
      case Operation::add:
      case Operation::subtract: return result;
      case Operation::multiply:
      case Operation::chain: {
        const Surfaces first = surfaces_of(a);
        const Surfaces& second = surfaces_of(b);
        std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                              std::back_inserter(result));
        return result;
      }
      case Operation::divide: return surfaces_of(b);
      case Operation::choose:
        if (!graph_.has_lambda(a)) return result;
        [[fallthrough]];
      default: {
        result = surfaces_of(a);
        const int operands = operand_count(node.operation);
        if (operands > 1) result = united(result, surfaces_of(b));
        if (operands > 2) result = united(result, surfaces_of(c));
        return result;
      }
    }
  }

  static Surfaces united(const Surfaces& first, const Surfaces& second) {
    Surfaces result;
    std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(result));
    return result;
  }

  // The surfaces whose λ a node depends on. Nodes are only ever added, operands first.
  const Surfaces& surfaces_of(NodeId id) {
    for (auto next = static_cast<NodeId>(surfaces_.size()); next <= id; ++next) {
      Surfaces found;
      if (graph_.has_lambda(next)) {
        const Node& node = graph_[next];
        if (node.operation == Operation::lambda) found = {node.a};
        if (node.operation == Operation::select) found = {node.c};
        for_operands(node, [&](NodeId operand) {
          const Surfaces& more = surfaces_[operand];
          if (!more.empty()) found = found.empty() ? more : united(found, more);
        });
      }
      surfaces_.push_back(std::move(found));
    }
    return surfaces_[id];
  }

  bool depends_on(NodeId id, std::uint32_t surface) {
    if (!graph_.has_lambda(id)) return false;
    const Surfaces& found = surfaces_of(id);
    return std::binary_search(found.begin(), found.end(), surface);
  }

  NodeId restrict_to(NodeId root, std::uint32_t k, int sign) {
    return graph_.on_side(root, k, sign, [&](NodeId id) { return depends_on(id, k); });
  }

  ExpressionGraph& graph_;
  std::vector<NodeId> replaced_;  // by node of the graph as it was
  std::vector<Surfaces> surfaces_;
  NodeId current_ = 0;
  std::size_t corners_ = 0;  // of the operation at hand
};

}  // namespace

TooManyCorners::TooManyCorners(std::size_t root_number, std::size_t surfaces)
    : std::length_error(std::to_string(surfaces) + " surfaces"), root(root_number) {}

Mistake TooManyCorners::mistake(Position where, const std::string& name) const {
  return {.where = where,
          .what = "too many surfaces in one product or function in the " + name,
          .expected = "at most " + std::to_string(most) + ", whose corners can be blended",
          .got = what()};
}

std::vector<NodeId> make_multi_affine(ExpressionGraph& graph, const std::vector<NodeId>& roots) {
  const auto jumps = [&](NodeId root) { return graph.has_lambda(root); };
  if (std::none_of(roots.begin(), roots.end(), jumps)) return roots;
  try {
    return CornerBlender(graph).blend(roots);
  } catch (const TooMany& many) {
    for (std::size_t k = 0; k < roots.size(); ++k) {
      const std::vector<NodeId> nodes = graph.reachable({roots[k]});
      if (std::binary_search(nodes.begin(), nodes.end(), many.node)) throw TooManyCorners(k, many.surfaces);
    }
    throw;
  }
}

std::vector<NodeId> multi_affine_derivatives(ExpandedModel& model, const ExpandedMotion& motion,
                                             Mistakes& mistakes) {
  try {
    return make_multi_affine(model.graph, motion.derivatives);
  } catch (const TooManyCorners& error) {
    mistakes.push_back(error.mistake(motion.places[error.root],
                                     "derivative of " + in_quotes(model.state_names[error.root])));
    return motion.derivatives;
  }
}

}  // namespace slideway::reader
