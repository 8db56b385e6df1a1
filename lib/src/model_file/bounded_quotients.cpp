#include "model_file/bounded_quotients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "core/patternless.hpp"

namespace slideway::reader {
namespace {

constexpr int samples = 400;
// A bound is one that is met, to this part, at so many of them.
constexpr double as_good_as = 1e-9;
constexpr int often = samples / 8;
// nearest tells how far from zero states are, in powers of ten.
constexpr double nearest = 9;

class Sampler {
 public:
  explicit Sampler(const ExpandedModel& model) : model_(model), values_(model.graph.size(), 0) {}

  // The value of a node at the k-th of the points on all sides of all surfaces.
  double value(NodeId root, int k) {
    for (const NodeId id : model_.graph.reachable({root})) values_[id] = value_of(id, k);
    return values_[root];
  }

 private:
  double value_of(NodeId id, int k) {
    const Node& node = model_.graph[id];
    const auto relay = [&](std::uint32_t number) {
      const NodeId guard = model_.surfaces[model_.lambda_index[number]].guard;
      return Sampler(model_).value(guard, k) < 0 ? -1.0 : 1.0;
    };
    switch (node.operation) {
      case Operation::constant: return node.value;
      case Operation::time: return 1 + patternless(0, k);
      case Operation::impact: return 1;
      case Operation::state: {
        const auto j = static_cast<Index>(node.a);
        const double size = std::pow(10.0, -0.5 * nearest * (1 + patternless(2 * j + 1, k)));
        return patternless(2 * j + 2, k) < 0 ? -size : size;
      }
      case Operation::lambda: return relay(node.a);
      case Operation::select: return relay(node.c) > 0 ? values_[node.a] : values_[node.b];
      case Operation::choose: return values_[node.a] > 0 ? values_[node.b] : values_[node.c];
      case Operation::add: return values_[node.a] + values_[node.b];
      case Operation::subtract: return values_[node.a] - values_[node.b];
      case Operation::multiply:
      case Operation::chain: return values_[node.a] * values_[node.b];
      case Operation::divide: return values_[node.a] / values_[node.b];
      case Operation::unknown:
      case Operation::root: return std::numeric_limits<double>::quiet_NaN();
      case Operation::power: return std::pow(values_[node.a], values_[node.b]);
      case Operation::atan2: return std::atan2(values_[node.a], values_[node.b]);
      default: return apply_unary(node.operation, values_[node.a]);
    }
  }

  const ExpandedModel& model_;
  std::vector<double> values_;
};

// The largest size of a quotient, which it has on whole sides of the surfaces, with either sign.
std::optional<double> bound_of(const ExpandedModel& model, NodeId quotient) {
  Sampler sampler(model);
  std::vector<double> values;
  double bound = 0;
  for (int k = 0; k < samples; ++k) {
    values.push_back(sampler.value(quotient, k));
    if (!std::isfinite(values.back())) return std::nullopt;
    bound = std::max(bound, std::abs(values.back()));
  }
  const auto at = [&](double sign) {
    return std::count_if(values.begin(), values.end(),
                         [&](double value) { return sign * value >= (1 - as_good_as) * bound; });
  };
  if (!(bound > 0) || at(1) < often || at(-1) < often) return std::nullopt;
  return bound;
}

}  // namespace

std::vector<NodeId> with_bounded_quotients(ExpandedModel& model, const std::vector<NodeId>& derivatives,
                                           const std::vector<Index>& surfaces,
                                           const std::vector<NodeId>& zeros) {
  ExpressionGraph& graph = model.graph;
  const auto vanishes = [&](NodeId id) { return graph.is_constant(graph.with_value(id, zeros, 0), 0); };
  std::unordered_map<NodeId, NodeId> others;
  for (const NodeId id : graph.reachable(derivatives)) {
    const Node node = graph[id];
    if (node.operation != Operation::divide || !graph.has_lambda(id)) continue;
    if (!vanishes(node.b) || !vanishes(node.a)) continue;
    const std::optional<double> bound = bound_of(model, id);
    if (!bound) continue;
    const std::vector<NodeId> parts = graph.reachable({id});
    for (std::uint32_t number = 0; number < model.lambda_index.size(); ++number) {
      const std::uint32_t surface = model.lambda_index[number];
      const NodeId guard = model.surfaces[surface].guard;
      if (!std::binary_search(parts.begin(), parts.end(), guard) ||
          std::find(surfaces.begin(), surfaces.end(), static_cast<Index>(surface)) == surfaces.end())
        continue;
      others[id] = graph.multiply(graph.constant(*bound), graph.lambda(number));
      break;
    }
  }
  if (others.empty()) return derivatives;
  std::vector<NodeId> result;
  for (const NodeId derivative : derivatives) result.push_back(graph.with_nodes(derivative, others));
  return result;
}

}  // namespace slideway::reader
