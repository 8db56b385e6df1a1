// The equations along a surface whose normal component depends on no relay: those at h = 0, with that component for a guard.

#include <memory>
#include <vector>

#include "io/expression_derivatives.hpp"
#include "io/lowering.hpp"

namespace slideway::reader {

std::shared_ptr<const System> make_second_order_system(const std::string& name, ExpandedModel& model,
                                                       const ExpandedMotion& motion,
                                                       const std::vector<NodeId>& derivatives,
                                                       Index surface) {
  ExpressionGraph& graph = model.graph;
  NodeId& guard = model.surfaces[static_cast<std::size_t>(surface)].guard;
  const auto by_state = gradients(graph, {guard}, Variables::states);
  const auto by_time = gradients(graph, {guard}, Variables::time);
  if (!by_state || !by_time) return nullptr;
  const auto on_surface = [&graph, zero = guard](NodeId node) { return graph.with_value(node, zero, 0); };
  NodeId component = by_time->front().empty() ? graph.constant(0) : by_time->front().front().value;
  for (const PartialDerivative& entry : by_state->front())
    component = graph.add(component, graph.multiply(entry.value, derivatives[entry.variable]));
  component = on_surface(component);
  if (graph.has_lambda(component) || graph.is_constant(component)) return nullptr;
  std::vector<NodeId> there;
  for (const NodeId derivative : derivatives) there.push_back(on_surface(derivative));
  guard = component;
  return std::make_shared<const System>(make_system(name, model, there, motion.places));
}

}  // namespace slideway::reader
