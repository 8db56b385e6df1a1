// The equations along a surface whose normal component depends on no relay: those at h = 0, with that component for a guard.

#include <memory>
#include <unordered_map>
#include <vector>

#include "io/expression_derivatives.hpp"
#include "io/lowering.hpp"

namespace slideway::reader {
namespace {

// The roots with 0 wherever the guard stands.
class ZeroGuard {
 public:
  ZeroGuard(ExpressionGraph& graph, NodeId guard) : graph_(graph), known_({{guard, graph.constant(0)}}) {}

  NodeId put_into(NodeId root) {
    for (const NodeId id : graph_.reachable({root})) {
      if (known_.count(id) > 0) continue;
      const Node node = graph_[id];
      const int operands = operand_count(node.operation);
      const NodeId a = operands > 0 ? known_.at(node.a) : node.a;
      const NodeId b = operands > 1 ? known_.at(node.b) : node.b;
      const NodeId c = operands > 2 ? known_.at(node.c) : node.c;
      const bool same = a == node.a && b == node.b && c == node.c;
      known_[id] = operands == 0 || same ? id : graph_.rebuild(node, a, b, c);
    }
    return known_.at(root);
  }

 private:
  ExpressionGraph& graph_;
  std::unordered_map<NodeId, NodeId> known_;
};

}  // namespace

std::shared_ptr<const System> make_second_order_system(const std::string& name, ExpandedModel& model,
                                                       const ExpandedMotion& motion,
                                                       const std::vector<NodeId>& derivatives,
                                                       Index surface) {
  ExpressionGraph& graph = model.graph;
  NodeId& guard = model.surfaces[static_cast<std::size_t>(surface)].guard;
  const auto by_state = gradients(graph, {guard}, Variables::states);
  const auto by_time = gradients(graph, {guard}, Variables::time);
  if (!by_state || !by_time) return nullptr;
  ZeroGuard zero(graph, guard);
  NodeId component = by_time->front().empty() ? graph.constant(0) : by_time->front().front().value;
  for (const PartialDerivative& entry : by_state->front())
    component = graph.add(component, graph.multiply(entry.value, derivatives[entry.variable]));
  component = zero.put_into(component);
  if (graph.has_lambda(component) || graph.is_constant(component)) return nullptr;
  std::vector<NodeId> there;
  for (const NodeId derivative : derivatives) there.push_back(zero.put_into(derivative));
  guard = component;
  return std::make_shared<const System>(make_system(name, model, there, motion.places));
}

}  // namespace slideway::reader
