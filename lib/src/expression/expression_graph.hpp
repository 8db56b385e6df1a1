// All expressions of a model in one graph, in which equal sub-expressions are one node.
//
// Nodes are numbered so that operands come before what is made of them: every pass over the graph is a loop.
// Constants are folded. λₖ, the sign of surface k, is a leaf, and
//     select(k; p, q) = q + (1 + λₖ)/2·(p − q)
// is p on one side of surface k, q on the other and their blend between. Every other node is smooth, but for
// `floor`, `sign`, `step`, `absolute` and `choose` (p where the guard is positive, else q), which stand where no surface
// may arise.
//
//     root(y; r, s, g) is the y with r(y) = 0,      s = ∂r/∂y, g where the search for it begins.
// In r and s it is a leaf, `unknown`, which has a number; it has no meaning outside of them.
// It must not know model files or systems.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "slideway/autodiff/dual.hpp"

namespace slideway::reader {

using NodeId = std::uint32_t;

enum class Operation : std::uint8_t {
  // leaves
  constant,
  time,
  impact,   // the approach speed of a contact
  state,    // a: its index
  unknown,  // a: its number
  lambda,   // a: the surface
  // of one operand, a
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  absolute,
  floor,  // flat, as sign and step are
  sign,   // −1, 0, 1
  step,   // 1 where a > 0, else 0
  // of two operands, a and b
  add,
  subtract,
  multiply,
  chain,  // a·b, but 0 where b = 0 even if a is infinite: a slope times a derivative
  divide,
  power,
  atan2,
  // of three
  select,  // a where λ_c = 1, b where λ_c = −1; c is the surface, not a node
  choose,  // b where a > 0, else c
  root,  // a: r, b: s, c: g; the value of the node tells the number of the unknown, and how it is searched for
};

// The search for a root: `only` for the single one, wherever it is; `near` for the one that is followed, `near_kinks` where r has kinks;
// `any` for one that the search from a guess leads to.
enum class Search : std::uint8_t { only, near, near_kinks, any };

struct Node {
  Operation operation = Operation::constant;
  NodeId a = 0;
  NodeId b = 0;
  NodeId c = 0;
  double value = 0;  // of a constant
};

// operand_count() tells how many of a, b, c are operands (nodes).
int operand_count(Operation operation);

template <class Visit>
void for_operands(const Node& node, const Visit& visit) {
  const int operands = operand_count(node.operation);
  if (operands > 0) visit(node.a);
  if (operands > 1) visit(node.b);
  if (operands > 2) visit(node.c);
}

// More nodes than the graph was allowed to have.
class GraphTooLarge : public std::length_error {
 public:
  using std::length_error::length_error;
};

class ExpressionGraph {
 public:
  explicit ExpressionGraph(std::size_t most_nodes = std::numeric_limits<NodeId>::max());

  NodeId constant(double value);
  NodeId time() { return intern({Operation::time, 0, 0, 0, 0}); }
  NodeId impact() { return intern({Operation::impact, 0, 0, 0, 0}); }
  NodeId state(std::uint32_t index) { return intern({Operation::state, index, 0, 0, 0}); }
  NodeId lambda(std::uint32_t surface) { return intern({Operation::lambda, surface, 0, 0, 0}); }

  NodeId unary(Operation operation, NodeId a);
  NodeId binary(Operation operation, NodeId a, NodeId b);
  NodeId select(std::uint32_t surface, NodeId plus, NodeId minus);
  NodeId choose(NodeId guard, NodeId positive, NodeId otherwise);
  NodeId unknown(std::uint32_t number) { return intern({Operation::unknown, number, 0, 0, 0}); }
  NodeId root(std::uint32_t number, Search search, NodeId residual, NodeId slope, NodeId start);
  static std::uint32_t unknown_of(const Node& root) { return static_cast<std::uint32_t>(root.value / 4); }
  static Search search_of(const Node& root) {
    return static_cast<Search>(static_cast<int>(std::fmod(root.value, 4)));
  }
  bool has_roots() const { return has_roots_; }

  NodeId negate(NodeId a) { return unary(Operation::negate, a); }
  NodeId add(NodeId a, NodeId b) { return binary(Operation::add, a, b); }
  NodeId subtract(NodeId a, NodeId b) { return binary(Operation::subtract, a, b); }
  NodeId multiply(NodeId a, NodeId b) { return binary(Operation::multiply, a, b); }
  NodeId divide(NodeId a, NodeId b) { return binary(Operation::divide, a, b); }

  // The node with λ of a surface put in, 1 or −1; `depends` tells the nodes that may depend on it, and must be true of
  // all that a node that does is made by.
  NodeId on_side(NodeId root, std::uint32_t surface, int sign, const std::function<bool(NodeId)>& depends);

  // The node with the absolute values of what roots, logarithms and powers that are not whole are taken of where `never_negative`:
  // unchanged on the side in force, and a number beyond it. `depends` as for on_side().
  NodeId defined_beyond(NodeId root, const std::function<bool(NodeId)>& never_negative,
                        const std::function<bool(NodeId)>& depends);

  // −node, of a − b as b − a.
  NodeId opposite(NodeId node);

  // The node with a number put in wherever one of `parts`, sorted, stands.
  NodeId with_value(NodeId root, const std::vector<NodeId>& parts, double value);

  // The node with others in place of some.
  NodeId with_nodes(NodeId root, const std::unordered_map<NodeId, NodeId>& others);

  // The node with every root that is followed as one that the search from its start leads to.
  NodeId with_any_search(NodeId root);

  // The node with other λ, or their opposites, in place of λ. `by[k]` tells of surface k.
  struct Relay {
    std::uint32_t surface = 0;
    int sign = 1;
  };
  NodeId with_relays(NodeId root, const std::vector<Relay>& by);

  // The same operation on other operands.
  NodeId rebuild(const Node& node, NodeId a, NodeId b, NodeId c);

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_constant(NodeId id) const { return nodes_[id].operation == Operation::constant; }
  bool is_constant(NodeId id, double value) const { return is_constant(id) && nodes_[id].value == value; }
  double value(NodeId id) const { return nodes_[id].value; }
  bool is_whole(NodeId id) const { return is_constant(id) && value(id) == std::nearbyint(value(id)); }
  bool is_even(NodeId id) const { return is_whole(id) && std::fmod(value(id), 2) == 0; }
  // has_lambda() tells whether the value jumps or has a kink: some λ is in it.
  bool has_lambda(NodeId id) const { return has_lambda_[id] != 0; }

  // Forgets all nodes from number `size` on, which must be in use nowhere.
  void forget_from(std::size_t size);

  // All nodes that the roots are made of, themselves included, in ascending order.
  std::vector<NodeId> reachable(const std::vector<NodeId>& roots) const;

 private:
  // Makes the new node, given the new nodes of its operands.
  using Rewrite = std::function<NodeId(NodeId id, NodeId a, NodeId b, NodeId c)>;
  NodeId rewritten(NodeId root, const std::function<bool(NodeId)>& depends, const Rewrite& rewrite);

  std::optional<NodeId> without_common_term(NodeId a, NodeId b);
  NodeId intern(const Node& node);
  std::size_t slot_of(const Node& node) const;
  void take_slot(std::size_t slot, NodeId id);
  void grow_table();

  std::vector<Node> nodes_;
  std::vector<std::uint8_t> has_lambda_;
  std::vector<NodeId> table_;           // open addressing
  std::vector<std::uint8_t> tags_;      // of each slot: some bits of the hash; 0 where it is free
  std::array<NodeId, 64> recent_ = {};  // constants, each where its bits lead
  std::size_t most_nodes_;
  bool has_roots_ = false;
};

// A guard up to a constant factor: guards with the same `key` vanish together; `sign` is −1 where this one is
// negative when the one of the key is positive.
struct GuardKey {
  NodeId key = 0;
  int sign = 1;
};
GuardKey guard_key(ExpressionGraph& graph, NodeId guard);

// The value of a function or an operator, for folding constants and for evaluation alike (Scalar: double or Dual).
template <class Scalar>
Scalar apply_unary(Operation operation, const Scalar& a) {
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh,
      std::exp, std::log, std::sqrt, std::abs;
  switch (operation) {
    case Operation::negate: return -a;
    case Operation::sin: return sin(a);
    case Operation::cos: return cos(a);
    case Operation::tan: return tan(a);
    case Operation::asin: return asin(a);
    case Operation::acos: return acos(a);
    case Operation::atan: return atan(a);
    case Operation::sinh: return sinh(a);
    case Operation::cosh: return cosh(a);
    case Operation::tanh: return tanh(a);
    case Operation::exp: return exp(a);
    case Operation::log: return log(a);
    case Operation::sqrt: return sqrt(a);
    case Operation::absolute: return abs(a);
    case Operation::floor: return Scalar(std::floor(value_of(a)));
    case Operation::sign: return Scalar(a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0);
    default: return Scalar(a > 0.0 ? 1.0 : 0.0);
  }
}

}  // namespace slideway::reader
