// The equations along surfaces whose normal components depend on no relay: those at h = 0, with these components for guards.

#include <algorithm>
#include <memory>
#include <vector>

#include "io/expression_derivatives.hpp"
#include "io/lowering.hpp"

namespace slideway::reader {

std::shared_ptr<const System> make_second_order_system(const std::string& name, ExpandedModel& model,
                                                       const ExpandedMotion& motion,
                                                       const std::vector<NodeId>& derivatives,
                                                       const std::vector<Index>& surfaces) {
  ExpressionGraph& graph = model.graph;
  std::vector<NodeId> guards;
  for (const Index i : surfaces) guards.push_back(model.surfaces[static_cast<std::size_t>(i)].guard);
  const auto by_state = gradients(graph, guards, Variables::states);
  const auto by_time = gradients(graph, guards, Variables::time);
  if (!by_state || !by_time) return nullptr;
  std::vector<NodeId> zeros = guards;
  // A root of |a − b| holds b − a as well.
  for (const NodeId zero : guards) zeros.push_back(graph.opposite(zero));
  std::sort(zeros.begin(), zeros.end());
  const auto on_surfaces = [&](NodeId node) { return graph.with_value(node, zeros, 0); };
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const NodeId component = on_surfaces(rate_along(graph, (*by_time)[k], (*by_state)[k], derivatives));
    if (graph.has_lambda(component) || graph.is_constant(component)) return nullptr;
    model.surfaces[static_cast<std::size_t>(surfaces[k])].guard = component;
  }
  std::vector<NodeId> there;
  for (const NodeId derivative : derivatives) there.push_back(on_surfaces(derivative));
  return std::make_shared<const System>(make_system(name, model, there, motion.places));
}

}  // namespace slideway::reader
