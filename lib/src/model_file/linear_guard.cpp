#include "model_file/linear_guard.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace slideway::reader {
namespace {

constexpr int most_terms = 256;
// A sum below this part of its terms, which cancel, is rounding.
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

// A sum, and that of the sizes of what was added.
struct Sum {
  double value = 0;
  double size = 0;

  void add(double number) {
    value += number;
    size += std::abs(number);
  }
  double rounded() const { return std::abs(value) <= rounding * size ? 0 : value; }
};

bool differ(double a, double b) { return std::abs(a - b) > rounding * std::abs(a); }

// first/second without their constants.
double ratio_of_terms(const LinearGuard& first, const LinearGuard& second) {
  if (first.terms.empty() || first.terms.size() != second.terms.size()) return 0;
  const double ratio = first.terms.front().slope / second.terms.front().slope;
  for (std::size_t k = 0; k < first.terms.size(); ++k) {
    const LinearGuard::Term& a = first.terms[k];
    const LinearGuard::Term& b = second.terms[k];
    if (a.what != b.what || differ(a.slope, ratio * b.slope)) return 0;
  }
  return ratio;
}

}  // namespace

std::optional<LinearGuard> linear_guard(const ExpressionGraph& graph, NodeId guard) {
  Sum constant;
  std::map<NodeId, Sum> slopes;
  std::vector<std::pair<NodeId, double>> open = {{guard, 1}};
  for (int visited = 0; !open.empty(); ++visited) {
    if (visited == most_terms) return std::nullopt;
    const auto [id, factor] = open.back();
    open.pop_back();
    const Node& node = graph[id];
    switch (node.operation) {
      case Operation::constant: constant.add(factor * node.value); break;
      case Operation::negate: open.emplace_back(node.a, -factor); break;
      case Operation::add:
        open.emplace_back(node.a, factor);
        open.emplace_back(node.b, factor);
        break;
      case Operation::subtract:
        open.emplace_back(node.a, factor);
        open.emplace_back(node.b, -factor);
        break;
      case Operation::multiply:
        if (graph.is_constant(node.a)) {
          open.emplace_back(node.b, factor * graph.value(node.a));
          break;
        }
        if (graph.is_constant(node.b)) {
          open.emplace_back(node.a, factor * graph.value(node.b));
          break;
        }
        slopes[id].add(factor);
        break;
      case Operation::divide:
        if (graph.is_constant(node.b)) {
          open.emplace_back(node.a, factor / graph.value(node.b));
          break;
        }
        [[fallthrough]];
      default: slopes[id].add(factor);
    }
  }
  LinearGuard result;
  result.constant = constant.rounded();
  for (const auto& [what, slope] : slopes)
    if (slope.rounded() != 0) result.terms.push_back({what, slope.value});
  return result;
}

double ratio_of(const LinearGuard& first, const LinearGuard& second) {
  const double ratio = ratio_of_terms(first, second);
  return differ(first.constant, ratio * second.constant) ? 0 : ratio;
}

bool exclude_each_other(const LinearGuard& first, int first_sign, const LinearGuard& second,
                        int second_sign) {
  const double ratio = ratio_of_terms(first, second);
  if (ratio == 0 || (first_sign == second_sign) == (ratio > 0)) return false;
  // A point beyond one bound would have to be on this side of the other.
  return first_sign * (first.constant - ratio * second.constant) < 0;
}

}  // namespace slideway::reader
