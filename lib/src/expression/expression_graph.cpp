#include "expression/expression_graph.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "slideway/detail/core/number_form.hpp"

namespace slideway::reader {

int operand_count(Operation operation) {
  if (operation <= Operation::lambda) return 0;
  if (operation <= Operation::step) return 1;
  if (operation <= Operation::select) return 2;
  return 3;
}

namespace {

// The finaliser of MurmurHash3: every bit of the input reaches every bit of the result.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) + 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 33U)) * 0xFF51AFD7ED558CCDU;
  hash = (hash ^ (hash >> 33U)) * 0xC4CEB9FE1A85EC53U;
  return hash ^ (hash >> 33U);
}

std::uint64_t hash_of(const Node& node) {
  const std::uint64_t hash =
      mix((static_cast<std::uint64_t>(node.operation) << 32U) | node.a, bits_of(node.value));
  return mix(hash, (static_cast<std::uint64_t>(node.b) << 32U) | node.c);
}

// Nodes of an operation that are made one after the other stand near each other in the table, by the greatest of their operands: a
// large model is read in the order of the memory. A node that finds no place there is where its hash leads.
// Other numbers of places were not measured.
constexpr int kNearbySlots = 8;

std::uint64_t nearby(const Node& node, std::uint64_t hash) {
  const std::uint64_t lane = mix(0, static_cast<std::uint64_t>(node.operation));
  const int operands = operand_count(node.operation);
  if (node.operation == Operation::constant) {
    const double size = std::abs(node.value);
    return size < 1e15 && size == std::floor(size) ? lane + 4 * static_cast<std::uint64_t>(size) : hash;
  }
  if (operands == 0) return lane + 4 * std::uint64_t{node.a};
  const NodeId greatest = std::max({node.a, operands > 1 ? node.b : 0, operands > 2 ? node.c : 0});
  return lane + 2 * std::uint64_t{greatest} + (hash >> 62U);
}

// Never 0, which is the tag of a free slot.
std::uint8_t tag_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash >> 56U) | 1U; }

bool same(const Node& first, const Node& second) {
  return first.operation == second.operation && first.a == second.a && first.b == second.b &&
         first.c == second.c && bits_of(first.value) == bits_of(second.value);
}

double fold_binary(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::chain: return b == 0 ? 0 : a * b;
    case Operation::divide: return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
    case Operation::power: return std::pow(a, b);
    default: return std::atan2(a, b);
  }
}

}  // namespace

ExpressionGraph::ExpressionGraph(std::size_t most_nodes) : most_nodes_(most_nodes) {}

NodeId ExpressionGraph::constant(double value) {
  const auto bits = bits_of(value);
  NodeId& recent = recent_[(bits * 0x9E3779B97F4A7C15U) >> 58U];
  const bool is_it = recent < nodes_.size() && is_constant(recent) && bits_of(nodes_[recent].value) == bits;
  if (!is_it) recent = intern({Operation::constant, 0, 0, 0, value});
  return recent;
}

NodeId ExpressionGraph::unary(Operation operation, NodeId a) {
  const Node operand = nodes_[a];
  if (operand.operation == Operation::constant) return constant(apply_unary(operation, operand.value));
  if (operation == Operation::negate) {
    if (operand.operation == Operation::negate) return operand.a;
    if (operand.operation == Operation::subtract) return subtract(operand.b, operand.a);
  }
  if (operation == Operation::absolute) {
    if (operand.operation == Operation::negate) return unary(operation, operand.a);
    if (operand.operation == Operation::subtract && operand.b < operand.a)
      return unary(operation, subtract(operand.b, operand.a));
  }
  return intern({operation, a, 0, 0, 0});
}

// a − b where one of them is a term of the other: no rounding of that term is left.
std::optional<NodeId> ExpressionGraph::without_common_term(NodeId a, NodeId b) {
  const Node first = nodes_[a];
  const Node second = nodes_[b];
  if (first.operation == Operation::add && first.a == b) return first.b;
  if (first.operation == Operation::add && first.b == b) return first.a;
  if (first.operation == Operation::subtract && first.a == b) return negate(first.b);
  if (second.operation == Operation::add && second.a == a) return negate(second.b);
  if (second.operation == Operation::add && second.b == a) return negate(second.a);
  if (second.operation == Operation::subtract && second.a == a) return second.b;
  return std::nullopt;
}

NodeId ExpressionGraph::binary(Operation operation, NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b)) return constant(fold_binary(operation, value(a), value(b)));
  const auto is_negation = [&](NodeId id) { return nodes_[id].operation == Operation::negate; };
  switch (operation) {
    case Operation::add:
      if (is_constant(a, 0)) return b;
      if (is_constant(b, 0)) return a;
      if (is_negation(b)) return subtract(a, nodes_[b].a);
      if (is_negation(a)) return subtract(b, nodes_[a].a);
      if (b < a) std::swap(a, b);
      break;
    case Operation::subtract:
      if (a == b) return constant(0);
      if (is_constant(a, 0)) return negate(b);
      if (const std::optional<NodeId> rest = without_common_term(a, b)) return *rest;
      if (is_negation(b)) return add(a, nodes_[b].a);
      if (is_negation(a)) return negate(add(nodes_[a].a, b));
      if (is_constant(b)) return add(a, constant(-value(b)));
      break;
    case Operation::multiply:
    case Operation::chain:
      if (is_constant(a, 0) || is_constant(b, 0)) return constant(0);
      if (is_constant(a, 1)) return b;
      if (is_constant(b, 1)) return a;
      if (is_constant(a, -1)) return negate(b);
      if (is_constant(b, -1)) return negate(a);
      // 0·∞ cannot come up when one factor is known.
      if (operation == Operation::chain && (is_constant(b) || (is_constant(a) && std::isfinite(value(a)))))
        return multiply(a, b);
      if (is_negation(a)) return negate(binary(operation, nodes_[a].a, b));
      if (is_negation(b)) return negate(binary(operation, a, nodes_[b].a));
      if (operation == Operation::multiply && b < a) std::swap(a, b);
      break;
    case Operation::divide:
      if (is_constant(a, 0)) return constant(0);
      if (is_constant(b, 1)) return a;
      if (is_constant(b, -1)) return negate(a);
      if (is_negation(a)) return negate(divide(nodes_[a].a, b));
      if (is_negation(b)) return negate(divide(a, nodes_[b].a));
      break;
    case Operation::power:
      if (is_constant(b, 1)) return a;
      if (is_constant(b, 0)) return constant(1);
      if (is_negation(a) && is_even(b)) return binary(operation, nodes_[a].a, b);
      break;
    default: break;
  }
  return intern({operation, a, b, 0, 0});
}

NodeId ExpressionGraph::select(std::uint32_t surface, NodeId plus, NodeId minus) {
  if (plus == minus) return plus;
  if (is_constant(plus, 1) && is_constant(minus, -1)) return lambda(surface);
  if (is_constant(plus, -1) && is_constant(minus, 1)) return negate(lambda(surface));
  // 0 and −0 are one value.
  if (is_constant(plus) && is_constant(minus) && value(plus) == value(minus)) return plus;
  return intern({Operation::select, plus, minus, surface, 0});
}

NodeId ExpressionGraph::choose(NodeId guard, NodeId positive, NodeId otherwise) {
  if (positive == otherwise) return positive;
  if (is_constant(guard)) return value(guard) > 0 ? positive : otherwise;
  return intern({Operation::choose, guard, positive, otherwise, 0});
}

NodeId ExpressionGraph::root(std::uint32_t number, Search search, NodeId residual, NodeId slope,
                             NodeId start) {
  has_roots_ = true;
  return intern({Operation::root, residual, slope, start, 4.0 * number + static_cast<int>(search)});
}

NodeId ExpressionGraph::rebuild(const Node& node, NodeId a, NodeId b, NodeId c) {
  switch (operand_count(node.operation)) {
    case 0: return intern(node);
    case 1: return unary(node.operation, a);
    case 2: return node.operation == Operation::select ? select(node.c, a, b) : binary(node.operation, a, b);
    default:
      return node.operation == Operation::root ? root(unknown_of(node), search_of(node), a, b, c)
                                               : choose(a, b, c);
  }
}

NodeId ExpressionGraph::rewritten(NodeId root, const std::function<bool(NodeId)>& depends,
                                  const Rewrite& rewrite) {
  if (!depends(root)) return root;
  std::vector<NodeId> found = {root};
  std::unordered_map<NodeId, NodeId> known = {{root, root}};
  const auto visit = [&](NodeId id) {
    if (depends(id) && known.try_emplace(id, id).second) found.push_back(id);
  };
  for (std::size_t next = 0; next < found.size(); ++next) {
    for_operands(nodes_[found[next]], visit);
  }
  std::sort(found.begin(), found.end());
  const auto put_in = [&](NodeId id) {
    const auto place = known.find(id);
    return place == known.end() ? id : place->second;
  };
  for (const NodeId id : found) {
    const Node node = nodes_[id];
    const int operands = operand_count(node.operation);
    known[id] = rewrite(id, operands > 0 ? put_in(node.a) : node.a, operands > 1 ? put_in(node.b) : node.b,
                        operands > 2 ? put_in(node.c) : node.c);
  }
  return known[root];
}

NodeId ExpressionGraph::on_side(NodeId root, std::uint32_t surface, int sign,
                                const std::function<bool(NodeId)>& depends) {
  return rewritten(root, depends, [&](NodeId id, NodeId a, NodeId b, NodeId c) {
    const Node node = nodes_[id];
    if (node.operation == Operation::lambda) return node.a == surface ? constant(sign) : id;
    if (node.operation == Operation::select && node.c == surface) return sign > 0 ? a : b;
    return rebuild(node, a, b, c);
  });
}

NodeId ExpressionGraph::opposite(NodeId node) {
  const Node whole = nodes_[node];
  return whole.operation == Operation::subtract ? subtract(whole.b, whole.a) : negate(node);
}

NodeId ExpressionGraph::with_value(NodeId root, const std::vector<NodeId>& parts, double value) {
  const auto anything = [](NodeId) { return true; };
  return rewritten(root, anything, [&](NodeId id, NodeId a, NodeId b, NodeId c) {
    if (std::binary_search(parts.begin(), parts.end(), id)) return constant(value);
    const Node node = nodes_[id];
    return a == node.a && b == node.b && c == node.c ? id : rebuild(node, a, b, c);
  });
}

NodeId ExpressionGraph::with_nodes(NodeId root, const std::unordered_map<NodeId, NodeId>& others) {
  const auto anything = [](NodeId) { return true; };
  return rewritten(root, anything, [&](NodeId id, NodeId a, NodeId b, NodeId c) {
    const auto other = others.find(id);
    if (other != others.end()) return other->second;
    const Node node = nodes_[id];
    return a == node.a && b == node.b && c == node.c ? id : rebuild(node, a, b, c);
  });
}

NodeId ExpressionGraph::with_any_search(NodeId root_node) {
  const auto anything = [](NodeId) { return true; };
  return rewritten(root_node, anything, [&](NodeId id, NodeId a, NodeId b, NodeId c) {
    const Node node = nodes_[id];
    if (node.operation == Operation::root && search_of(node) != Search::only)
      return root(unknown_of(node), Search::any, a, b, c);
    return a == node.a && b == node.b && c == node.c ? id : rebuild(node, a, b, c);
  });
}

NodeId ExpressionGraph::with_relays(NodeId root, const std::vector<Relay>& by) {
  const auto depends = [this](NodeId id) { return has_lambda(id); };
  return rewritten(root, depends, [&](NodeId id, NodeId a, NodeId b, NodeId c) {
    const Node node = nodes_[id];
    if (node.operation == Operation::lambda) {
      const NodeId other = lambda(by[node.a].surface);
      return by[node.a].sign > 0 ? other : negate(other);
    }
    if (node.operation != Operation::select) return rebuild(node, a, b, c);
    const Relay& relay = by[node.c];
    return relay.sign > 0 ? select(relay.surface, a, b) : select(relay.surface, b, a);
  });
}

NodeId ExpressionGraph::defined_beyond(NodeId root, const std::function<bool(NodeId)>& never_negative,
                                       const std::function<bool(NodeId)>& depends) {
  return rewritten(root, depends, [&](NodeId id, NodeId a, NodeId b, NodeId c) {
    const Node node = nodes_[id];
    const bool is_root = node.operation == Operation::sqrt || node.operation == Operation::log ||
                         (node.operation == Operation::power && !is_whole(b));
    return rebuild(node, is_root && never_negative(node.a) ? unary(Operation::absolute, a) : a, b, c);
  });
}

std::vector<NodeId> ExpressionGraph::reachable(const std::vector<NodeId>& roots) const {
  // A model may have thousands of small expressions: what one of them takes must not grow with all the others.
  const std::size_t many = nodes_.size() / 64;
  std::unordered_set<NodeId> few;
  std::vector<std::uint8_t> seen;
  std::vector<NodeId> found;
  const auto visit = [&](NodeId id) {
    if (seen.empty()) {
      if (!few.insert(id).second) return;
    } else {
      if (seen[id] != 0) return;
      seen[id] = 1;
    }
    found.push_back(id);
    if (seen.empty() && found.size() > many) {
      seen.assign(nodes_.size(), 0);
      for (const NodeId known : found) seen[known] = 1;
    }
  };
  for (const NodeId root : roots) visit(root);
  for (std::size_t next = 0; next < found.size(); ++next) {
    for_operands(nodes_[found[next]], visit);
  }
  // Sorted by looking through all nodes, unless they are few.
  if (seen.empty() || found.size() < nodes_.size() / 16) {
    std::sort(found.begin(), found.end());
    return found;
  }
  std::size_t count = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id)
    if (seen[id] != 0) found[count++] = id;
  return found;
}

NodeId ExpressionGraph::intern(const Node& node) {
  if (2 * (nodes_.size() + 1) > table_.size()) grow_table();
  const std::size_t slot = slot_of(node);
  if (tags_[slot] != 0) return table_[slot];
  if (nodes_.size() >= most_nodes_)
    throw GraphTooLarge("the model has more than " + std::to_string(most_nodes_) + " operations");

  bool jumps = node.operation == Operation::lambda || node.operation == Operation::select;
  for_operands(node, [&](NodeId operand) { jumps = jumps || has_lambda(operand); });
  nodes_.push_back(node);
  has_lambda_.push_back(jumps ? 1 : 0);
  take_slot(slot, static_cast<NodeId>(nodes_.size() - 1));
  return static_cast<NodeId>(nodes_.size() - 1);
}

void ExpressionGraph::grow_table() {
  const std::size_t size = std::max<std::size_t>(64, 2 * table_.size());
  table_.assign(size, 0);
  tags_.assign(size, 0);
  for (NodeId id = 0; id < nodes_.size(); ++id) take_slot(slot_of(nodes_[id]), id);
}

void ExpressionGraph::take_slot(std::size_t slot, NodeId id) {
  table_[slot] = id;
  tags_[slot] = tag_of(hash_of(nodes_[id]));
}

// The slot of a node, or the free one where it belongs.
std::size_t ExpressionGraph::slot_of(const Node& node) const {
  const std::size_t mask = table_.size() - 1;
  const std::uint64_t hash = hash_of(node);
  const std::uint8_t tag = tag_of(hash);
  const auto is_its = [&](std::size_t slot) {
    return tags_[slot] == 0 || (tags_[slot] == tag && same(nodes_[table_[slot]], node));
  };
  std::size_t slot = nearby(node, hash) & mask;
  for (int k = 0; k < kNearbySlots; ++k, slot = (slot + 1) & mask)
    if (is_its(slot)) return slot;
  const std::uint64_t step = (hash >> 32U) | 1U;
  slot = hash & mask;
  while (!is_its(slot)) slot = (slot + step) & mask;
  return slot;
}

// The newest node goes first, so that no search passes a slot that became free.
void ExpressionGraph::forget_from(std::size_t size) {
  while (nodes_.size() > size) {
    tags_[slot_of(nodes_.back())] = 0;
    nodes_.pop_back();
    has_lambda_.pop_back();
  }
}

namespace {

// kOrientedDepth tells how deep a guard is searched for differences; deeper ones are left as they are.
constexpr int kOrientedDepth = 8;

bool is_odd(Operation operation) {
  switch (operation) {
    case Operation::sin:
    case Operation::tan:
    case Operation::asin:
    case Operation::atan:
    case Operation::sinh:
    case Operation::tanh: return true;
    default: return false;
  }
}

// One of a value and its opposite, the same for both: a - b and b - a, sin(a - b) and sin(b - a).
GuardKey oriented(ExpressionGraph& graph, NodeId id, int depth) {
  const Node node = graph[id];
  if (depth == 0) return {id, 1};
  if (node.operation == Operation::constant)
    return {graph.constant(std::abs(node.value)), node.value < 0 ? -1 : 1};
  if (node.operation == Operation::subtract && (graph.is_constant(node.a) || node.b < node.a))
    return {graph.subtract(node.b, node.a), -1};
  if (node.operation == Operation::negate) {
    const GuardKey inside = oriented(graph, node.a, depth - 1);
    return {inside.key, -inside.sign};
  }
  if (is_odd(node.operation)) {
    const GuardKey inside = oriented(graph, node.a, depth - 1);
    return {graph.unary(node.operation, inside.key), inside.sign};
  }
  if (node.operation == Operation::multiply || node.operation == Operation::divide) {
    const GuardKey a = oriented(graph, node.a, depth - 1);
    const GuardKey b = oriented(graph, node.b, depth - 1);
    return {graph.binary(node.operation, a.key, b.key), a.sign * b.sign};
  }
  return {id, 1};
}

}  // namespace

GuardKey guard_key(ExpressionGraph& graph, NodeId guard) {
  int sign = 1;
  for (;;) {
    const Node node = graph[guard];
    if (node.operation == Operation::negate) {
      sign = -sign;
      guard = node.a;
    } else if (node.operation == Operation::multiply &&
               (graph.is_constant(node.a) || graph.is_constant(node.b))) {
      const bool first = graph.is_constant(node.a);
      if (graph.value(first ? node.a : node.b) < 0) sign = -sign;
      guard = first ? node.b : node.a;
    } else if (node.operation == Operation::divide && graph.is_constant(node.b)) {
      if (graph.value(node.b) < 0) sign = -sign;
      guard = node.a;
    } else if (node.operation == Operation::subtract && graph.is_constant(node.a)) {
      sign = -sign;
      guard = graph.subtract(node.b, node.a);
    } else {
      const GuardKey one = oriented(graph, guard, kOrientedDepth);
      return {one.key, sign * one.sign};
    }
  }
}

}  // namespace slideway::reader
