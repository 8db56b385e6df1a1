// make_multi_affine: what is not affine in each λ separately becomes the blend of its corners.

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "model_file/linear_guard.hpp"
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
  CornerBlender(ExpressionGraph& graph, const std::vector<NodeId>& guards) : graph_(graph), guards_(guards) {}

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
    // λₖ is known, on a side of surface k, in everything that is needed only there.
    if (node.operation == Operation::select)
      return graph_.select(node.c, restrict_to(a, node.c, 1), restrict_to(b, node.c, -1));
    corners_ = 0;
    const std::size_t count = shared(node, a, b, c).size();
    prunes_ = count > TooManyCorners::most;
    return corners(node, {a, b, c}, count);
  }

  // The operation on its operands, blended over the surfaces in which it is not affine: `count` of them at first.
  NodeId corners(const Node& node, const std::array<NodeId, 3>& of, std::size_t count) {
    const Surfaces surfaces = shared(node, of[0], of[1], of[2]);
    if (surfaces.empty()) {
      if (++corners_ > (std::size_t{1} << TooManyCorners::most)) throw TooMany{current_, count};
      return graph_.rebuild(node, of[0], of[1], of[2]);
    }
    const std::uint32_t k = outermost(of[0], surfaces);
    const auto corner = [&](int sign) {
      std::array<NodeId, 3> there = of;
      const auto restrict_all = [&](std::uint32_t surface, int side) {
        for (int operand = 0; operand < operand_count(node.operation); ++operand)
          there[static_cast<std::size_t>(operand)] =
              restrict_to(there[static_cast<std::size_t>(operand)], surface, side);
      };
      restrict_all(k, sign);
      for (const std::uint32_t other : surfaces) {
        if (other == k || !prunes_) continue;
        if (exclude(k, sign, other, 1)) restrict_all(other, -1);
        if (exclude(k, sign, other, -1)) restrict_all(other, 1);
      }
      return corners(node, there, count);
    };
    const NodeId plus = corner(1);
    return graph_.select(k, plus, corner(-1));
  }

  // exclude() tells whether no state has these sides of both, as n > 3 and n < 1: of so many corners those are
  // left out.
  bool exclude(std::uint32_t first, int first_side, std::uint32_t second, int second_side) {
    if (first >= guards_.size() || second >= guards_.size()) return false;
    const std::optional<LinearGuard>& one = line(first);
    const std::optional<LinearGuard>& other = line(second);
    return one && other && exclude_each_other(*one, first_side, *other, second_side);
  }

  const std::optional<LinearGuard>& line(std::uint32_t surface) {
    const auto [known, added] = lines_.try_emplace(surface);
    if (added) known->second = linear_guard(graph_, guards_[surface]);
    return known->second;
  }

  // outermost() returns one of these surfaces. It is the one whose sides hide others, as those of a table do, so
  // that the others are asked on one side alone.
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
  const std::vector<NodeId>& guards_;
  std::unordered_map<std::uint32_t, std::optional<LinearGuard>> lines_;
  std::vector<NodeId> replaced_;  // by node of the graph as it was
  std::vector<Surfaces> surfaces_;
  NodeId current_ = 0;
  // corners_ counts those of the operation at hand.
  std::size_t corners_ = 0;
  bool prunes_ = false;
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

std::vector<NodeId> make_multi_affine(ExpressionGraph& graph, const std::vector<NodeId>& roots,
                                      const std::vector<NodeId>& guards) {
  const auto jumps = [&](NodeId root) { return graph.has_lambda(root); };
  if (std::none_of(roots.begin(), roots.end(), jumps)) return roots;
  try {
    return CornerBlender(graph, guards).blend(roots);
  } catch (const TooMany& many) {
    for (std::size_t k = 0; k < roots.size(); ++k) {
      const std::vector<NodeId> nodes = graph.reachable({roots[k]});
      if (std::binary_search(nodes.begin(), nodes.end(), many.node)) throw TooManyCorners(k, many.surfaces);
    }
    throw;
  }
}

std::vector<NodeId> guards_by_relay(const ExpandedModel& model) {
  std::vector<NodeId> guards;
  for (const std::uint32_t surface : model.lambda_index) guards.push_back(model.surfaces[surface].guard);
  return guards;
}

std::vector<NodeId> multi_affine_derivatives(ExpandedModel& model, const ExpandedMotion& motion,
                                             Mistakes& mistakes) {
  try {
    return make_multi_affine(model.graph, motion.derivatives, guards_by_relay(model));
  } catch (const TooManyCorners& error) {
    mistakes.push_back(error.mistake(motion.places[error.root],
                                     "derivative of " + in_quotes(model.state_names[error.root])));
    return motion.derivatives;
  }
}

}  // namespace slideway::reader
