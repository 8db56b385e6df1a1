#include "model_file/node_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <unordered_map>
#include <vector>

namespace slideway::reader {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Bounds {
  double low = -infinity;
  double high = infinity;
};

Bounds hull(std::initializer_list<double> numbers) {
  Bounds result{infinity, -infinity};
  for (const double number : numbers) {
    if (std::isnan(number)) return {};
    result.low = std::min(result.low, number);
    result.high = std::max(result.high, number);
  }
  return result;
}

// product() of bounds, to which values come near, takes 0·∞ as 0.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Bounds multiplied(Bounds a, Bounds b) {
  return hull(
      {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
}

Bounds squared(Bounds a) {
  const double most = std::max(std::abs(a.low), std::abs(a.high));
  const double least = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
  return {least * least, most * most};
}

// A quotient is beyond all bounds where the divisor may be zero.
Bounds inverse(Bounds a) {
  if (a.low > 0) return {1 / a.high, 1 / a.low};
  if (a.high < 0) return {1 / a.high, 1 / a.low};
  return {};
}

class BoundsOfNodes {
 public:
  BoundsOfNodes(const ExpressionGraph& graph, const KnownStates& states) : graph_(graph), states_(states) {}

  Bounds of(NodeId root) {
    for (const NodeId id : graph_.reachable({root})) known_[id] = bounds(graph_[id]);
    return known_[root];
  }

 private:
  Bounds monotone(Bounds a, double (*function)(double)) const {
    return hull({function(a.low), function(a.high)});
  }

  Bounds bounds(const Node& node) {
    const auto a = [&] { return known_[node.a]; };
    const auto b = [&] { return known_[node.b]; };
    switch (node.operation) {
      case Operation::constant: return {node.value, node.value};
      case Operation::lambda: return {-1, 1};
      case Operation::state: {
        if (node.a < states_.from) return {};
        const double value = states_.values[static_cast<Index>(node.a)];
        return {value, value};
      }
      case Operation::negate: return {-a().high, -a().low};
      case Operation::add: return {a().low + b().low, a().high + b().high};
      case Operation::subtract: return {a().low - b().high, a().high - b().low};
      case Operation::multiply: return node.a == node.b ? squared(a()) : multiplied(a(), b());
      case Operation::chain: return multiplied(a(), b());
      case Operation::divide: return multiplied(a(), inverse(b()));
      case Operation::sin:
      case Operation::cos: return {-1, 1};
      case Operation::exp: return monotone(a(), [](double x) { return std::exp(x); });
      case Operation::tanh: return monotone(a(), [](double x) { return std::tanh(x); });
      case Operation::atan: return monotone(a(), [](double x) { return std::atan(x); });
      case Operation::sinh: return monotone(a(), [](double x) { return std::sinh(x); });
      case Operation::cosh: return {1, infinity};
      case Operation::sqrt: return {std::sqrt(std::max(0.0, a().low)), std::sqrt(std::max(0.0, a().high))};
      case Operation::absolute: {
        const Bounds square = squared(a());
        return {std::sqrt(square.low), std::sqrt(square.high)};
      }
      case Operation::sign: return {-1, 1};
      case Operation::step: return {0, 1};
      case Operation::power: return power(node);
      case Operation::select: return hull({a().low, a().high, b().low, b().high});
      case Operation::choose: {
        const Bounds c = known_[node.c];
        return hull({b().low, b().high, c.low, c.high});
      }
      default: return {};
    }
  }

  Bounds power(const Node& node) {
    const Bounds base = known_[node.a];
    if (!graph_.is_constant(node.b)) return base.low > 0 ? Bounds{0, infinity} : Bounds{};
    const double exponent = graph_.value(node.b);
    if (exponent > 0 && (base.low >= 0 || !graph_.is_whole(node.b)))
      return {std::pow(std::max(0.0, base.low), exponent), std::pow(std::max(0.0, base.high), exponent)};
    if (graph_.is_even(node.b)) return {0, infinity};
    return base.low >= 0 ? Bounds{0, infinity} : Bounds{};
  }

  const ExpressionGraph& graph_;
  const KnownStates& states_;
  std::unordered_map<NodeId, Bounds> known_;
};

}  // namespace

bool has_one_sign(const ExpressionGraph& graph, NodeId root, const KnownStates& known) {
  const Bounds bounds = BoundsOfNodes(graph, known).of(root);
  return bounds.low > 0 || bounds.high < 0;
}

bool is_within(const ExpressionGraph& graph, NodeId root, double most, const KnownStates& known) {
  const Bounds bounds = BoundsOfNodes(graph, known).of(root);
  return bounds.low > -most && bounds.high < most;
}

bool is_never_zero(const ExpressionGraph& graph, NodeId root, const KnownStates& known) {
  const Node& node = graph[root];
  switch (node.operation) {
    case Operation::exp: return true;
    case Operation::negate: return is_never_zero(graph, node.a, known);
    case Operation::multiply:
    case Operation::divide: return is_never_zero(graph, node.a, known) && is_never_zero(graph, node.b, known);
    case Operation::add: {
      const auto is_nonnegative = [&](NodeId id) { return BoundsOfNodes(graph, known).of(id).low >= 0; };
      const bool is_sum = is_nonnegative(node.a) && is_nonnegative(node.b);
      if (is_sum && (is_never_zero(graph, node.a, known) || is_never_zero(graph, node.b, known))) return true;
      break;
    }
    case Operation::power:
      if (graph.is_constant(node.b) && is_never_zero(graph, node.a, known)) return true;
      break;
    default: break;
  }
  return has_one_sign(graph, root, known);
}

bool is_positive(const ExpressionGraph& graph, NodeId root, const KnownStates& known) {
  return BoundsOfNodes(graph, known).of(root).low > 0;
}

}  // namespace slideway::reader
