#include "expression/expression_derivatives.hpp"

#include <algorithm>
#include <unordered_map>

namespace slideway::reader {
namespace {

// Gradients of all nodes in one array; a node's own are [begin, end).
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool empty() const { return begin == end; }
};

class Differentiator {
 public:
  Differentiator(ExpressionGraph& graph, Variables variables)
      : graph_(graph), variables_(variables), spans_(graph.size()) {}

  Gradient gradient(NodeId id) const {
    return Gradient(entries_).subspan(spans_[id].begin, spans_[id].end - spans_[id].begin);
  }
  const std::vector<PartialDerivative>& entries() const { return entries_; }

  // The gradient of a node whose operands are done.
  void differentiate(NodeId id) {
    const Node node = graph_[id];
    const std::uint32_t begin = count();
    switch (operand_count(node.operation)) {
      case 0:
        if (is_variable(node))
          entries_.push_back({variables_ == Variables::time ? 0 : node.a, graph_.constant(1)});
        break;
      case 1: differentiate_unary(id, node); break;
      case 2: differentiate_binary(id, node); break;
      default:
        if (node.operation == Operation::root) {
          differentiate_root(id, node);
          break;
        }
        merge(spans_[node.b], spans_[node.c],
              [&](NodeId p, NodeId q) { return graph_.choose(node.a, p, q); });
    }
    spans_[id] = {begin, count()};
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(entries_.size()); }

  bool is_variable(const Node& node) const {
    switch (variables_) {
      case Variables::states: return node.operation == Operation::state;
      case Variables::lambdas: return node.operation == Operation::lambda;
      case Variables::unknowns: return node.operation == Operation::unknown;
      default: return node.operation == Operation::time;
    }
  }

  void push(std::uint32_t variable, NodeId derivative) {
    if (!graph_.is_constant(derivative, 0)) entries_.push_back({variable, derivative});
  }

  // merge() calls combine(∂a, ∂b) for every variable of either, with the constant 0 where one does
  // not depend on it.
  template <class Combine>
  void merge(Span a, Span b, const Combine& combine) {
    const NodeId zero = graph_.constant(0);
    while (!a.empty() || !b.empty()) {
      const bool take_a =
          !a.empty() && (b.empty() || entries_[a.begin].variable <= entries_[b.begin].variable);
      const bool take_b =
          !b.empty() && (a.empty() || entries_[b.begin].variable <= entries_[a.begin].variable);
      const std::uint32_t variable = entries_[take_a ? a.begin : b.begin].variable;
      const NodeId from_a = take_a ? entries_[a.begin++].value : zero;
      const NodeId from_b = take_b ? entries_[b.begin++].value : zero;
      push(variable, combine(from_a, from_b));
    }
  }

  // f(a): slope·∂a, with the slope made only if it is needed.
  template <class Slope>
  void scale(Span a, const Slope& make_slope, Operation product = Operation::multiply) {
    if (a.empty()) return;
    const NodeId slope = make_slope();
    for (; !a.empty(); ++a.begin) {
      const PartialDerivative entry = entries_[a.begin];
      push(entry.variable, graph_.binary(product, slope, entry.value));
    }
  }

  NodeId square(NodeId a) { return graph_.multiply(a, a); }
  NodeId one_minus_square(NodeId a) { return graph_.subtract(graph_.constant(1), square(a)); }

  void differentiate_unary(NodeId id, const Node& node) {
    ExpressionGraph& g = graph_;
    const NodeId a = node.a;
    const Span da = spans_[a];
    const NodeId one = g.constant(1);
    switch (node.operation) {
      case Operation::negate: return scale(da, [&] { return g.constant(-1); });
      case Operation::sin: return scale(da, [&] { return g.unary(Operation::cos, a); });
      case Operation::cos: return scale(da, [&] { return g.negate(g.unary(Operation::sin, a)); });
      case Operation::tan: return scale(da, [&] { return g.add(one, square(id)); });
      case Operation::asin:
      case Operation::acos:
        return scale(
            da,
            [&] {
              const NodeId slope = g.divide(one, g.unary(Operation::sqrt, one_minus_square(a)));
              return node.operation == Operation::asin ? slope : g.negate(slope);
            },
            Operation::chain);
      case Operation::atan: return scale(da, [&] { return g.divide(one, g.add(one, square(a))); });
      case Operation::sinh: return scale(da, [&] { return g.unary(Operation::cosh, a); });
      case Operation::cosh: return scale(da, [&] { return g.unary(Operation::sinh, a); });
      // 1/cosh² keeps its digits where 1 − tanh² has lost them.
      case Operation::tanh:
        return scale(da, [&] { return square(g.divide(one, g.unary(Operation::cosh, a))); });
      case Operation::exp: return scale(da, [&] { return id; });
      case Operation::log:
        return scale(
            da, [&] { return g.divide(one, a); }, Operation::chain);
      case Operation::sqrt:
        return scale(
            da, [&] { return g.divide(g.constant(0.5), id); }, Operation::chain);
      case Operation::absolute: return scale(da, [&] { return g.unary(Operation::sign, a); });
      default: return;  // floor, sign and step are flat
    }
  }

  void differentiate_binary(NodeId id, const Node& node) {
    ExpressionGraph& g = graph_;
    const NodeId a = node.a;
    const NodeId b = node.b;
    const Span da = spans_[a];
    const Span db = spans_[b];
    switch (node.operation) {
      case Operation::add: return merge(da, db, [&](NodeId p, NodeId q) { return g.add(p, q); });
      case Operation::subtract: return merge(da, db, [&](NodeId p, NodeId q) { return g.subtract(p, q); });
      case Operation::multiply:
      case Operation::chain:
        return merge(da, db, [&](NodeId p, NodeId q) {
          return g.add(g.binary(node.operation, p, b), g.binary(node.operation, a, q));
        });
      case Operation::divide:
        return merge(da, db,
                     [&](NodeId p, NodeId q) { return g.divide(g.subtract(p, g.multiply(id, q)), b); });
      case Operation::power: return differentiate_power(id, a, b);
      case Operation::atan2: {
        if (da.empty() && db.empty()) return;
        const NodeId radius = g.add(square(a), square(b));
        return merge(da, db, [&](NodeId p, NodeId q) {
          return g.divide(g.subtract(g.multiply(b, p), g.multiply(a, q)), radius);
        });
      }
      default: return differentiate_select(node);
    }
  }

  void differentiate_power(NodeId id, NodeId a, NodeId b) {
    ExpressionGraph& g = graph_;
    const Span da = spans_[a];
    const Span db = spans_[b];
    if (da.empty() && db.empty()) return;
    const auto slope = [&] {
      const NodeId reduced = g.subtract(b, g.constant(1));
      return g.multiply(b, g.binary(Operation::power, a, reduced));
    };
    // A constant exponent must not take the logarithm of the base, which may be negative.
    if (db.empty()) return scale(da, slope, Operation::chain);
    const NodeId base_slope = da.empty() ? g.constant(0) : slope();
    const NodeId exponent_slope = g.multiply(id, g.unary(Operation::log, a));
    merge(da, db, [&](NodeId p, NodeId q) {
      return g.add(g.binary(Operation::chain, base_slope, p), g.binary(Operation::chain, exponent_slope, q));
    });
  }

  // The root has no derivative by its own unknown, which is bound inside it.
  void differentiate_root(NodeId id, const Node& node) {
    const Span residual = spans_[node.a];
    const std::uint32_t number = ExpressionGraph::unknown_of(node);
    const std::unordered_map<NodeId, NodeId> at_root = {{graph_.unknown(number), id}};
    for (std::uint32_t k = residual.begin; k < residual.end; ++k) {
      const PartialDerivative entry = entries_[k];
      if (variables_ == Variables::unknowns && entry.variable == number) continue;
      const NodeId slope = graph_.with_nodes(node.b, at_root);
      push(entry.variable, graph_.negate(graph_.divide(graph_.with_nodes(entry.value, at_root), slope)));
    }
  }

  void differentiate_select(const Node& node) {
    ExpressionGraph& g = graph_;
    const auto blend = [&](NodeId p, NodeId q) { return g.select(node.c, p, q); };
    if (variables_ != Variables::lambdas) return merge(spans_[node.a], spans_[node.b], blend);
    const std::size_t begin = entries_.size();
    merge(spans_[node.a], spans_[node.b], blend);
    const NodeId own = g.multiply(g.constant(0.5), g.subtract(node.a, node.b));
    if (g.is_constant(own, 0)) return;
    auto place = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    while (place != entries_.end() && place->variable < node.c) ++place;
    if (place != entries_.end() && place->variable == node.c)
      place->value = g.add(place->value, own);
    else
      entries_.insert(place, {node.c, own});
  }

  ExpressionGraph& graph_;
  Variables variables_;
  std::vector<Span> spans_;
  std::vector<PartialDerivative> entries_;
};

}  // namespace

NodeId rate_along(ExpressionGraph& graph, Gradient by_time, Gradient by_state,
                  const std::vector<NodeId>& motion) {
  std::vector<NodeId> terms = {by_time.empty() ? graph.constant(0) : by_time.front().value};
  for (const PartialDerivative& entry : by_state)
    terms.push_back(graph.multiply(entry.value, motion[entry.variable]));
  // Sums are halved, since the gradients of the partial sums of a long chain would fill the memory.
  while (terms.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < terms.size(); k += 2)
      terms[kept++] = k + 1 < terms.size() ? graph.add(terms[k], terms[k + 1]) : terms[k];
    terms.resize(kept);
  }
  return terms.front();
}

std::optional<Gradients> gradients(ExpressionGraph& graph, const std::vector<NodeId>& roots,
                                   Variables variables, std::size_t most_entries) {
  Gradients result;
  {
    const std::vector<NodeId> nodes = graph.reachable(roots);
    Differentiator differentiator(graph, variables);
    for (const NodeId id : nodes) {
      differentiator.differentiate(id);
      if (differentiator.entries().size() > most_entries) return std::nullopt;
    }
    std::size_t count = 0;
    for (const NodeId root : roots) count += differentiator.gradient(root).size();
    result.reserve(roots.size(), count);
    for (const NodeId root : roots) result.push_back(differentiator.gradient(root));
  }
  return result;
}

std::vector<char> jumping_nodes(const ExpressionGraph& graph) {
  std::vector<char> varies(graph.size(), 0), jumps(graph.size(), 0);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    varies[id] = node.operation == Operation::state || node.operation == Operation::time ||
                 node.operation == Operation::unknown;
    for_operands(node, [&](NodeId operand) {
      varies[id] |= varies[operand];
      jumps[id] |= jumps[operand];
    });
    switch (node.operation) {
      case Operation::absolute:
      case Operation::floor:
      case Operation::sign:
      case Operation::step:
      case Operation::choose: jumps[id] |= varies[node.a]; break;
      default: break;
    }
  }
  return jumps;
}

void add_states_of_jumps(ExpressionGraph& graph, const std::vector<char>& jumping,
                         const std::vector<NodeId>& roots, Gradients& by_state) {
  if (std::none_of(roots.begin(), roots.end(), [&](NodeId root) { return jumping[root] != 0; })) return;
  const NodeId zero = graph.constant(0);
  Gradients result;
  for (std::size_t k = 0; k < roots.size(); ++k) {
    if (jumping[roots[k]] == 0) {
      result.push_back(by_state[k]);
      continue;
    }
    std::vector<PartialDerivative> all;
    for (const NodeId id : graph.reachable({roots[k]}))
      if (graph[id].operation == Operation::state) all.push_back({graph[id].a, zero});
    const auto by_variable = [](const PartialDerivative& one, const PartialDerivative& other) {
      return one.variable < other.variable;
    };
    std::sort(all.begin(), all.end(), by_variable);
    const Gradient before = by_state[k];
    auto known = before.begin();
    for (PartialDerivative& entry : all) {
      while (known != before.end() && known->variable < entry.variable) ++known;
      if (known != before.end() && known->variable == entry.variable) entry.value = known->value;
    }
    result.push_back(all);
  }
  by_state = std::move(result);
}

}  // namespace slideway::reader
