#include "model_file/sign_condition.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace slideway::reader {
namespace {

// 2⁸, of eight kinks that hold independently: two more than a guard in the equations may have (`most_sides`).
constexpr int kMostSides = 256;

std::optional<double> constant_of(const ExpressionGraph& graph, NodeId value) {
  if (graph.is_constant(value)) return graph.value(value);
  const std::optional<LinearGuard> linear = linear_guard(graph, value);
  if (linear && linear->terms.empty()) return linear->constant;
  return std::nullopt;
}

}  // namespace

bool SignConditions::has_sides(NodeId id) const {
  switch (graph_[id].operation) {
    case Operation::choose:
    case Operation::sign:
    case Operation::step:
    case Operation::absolute: return true;
    default: return false;
  }
}

bool SignConditions::is_piecewise(NodeId id) const { return has_sides(id) && !is_held_(graph_[id].a); }

// Of a larger and a smaller of two the condition is their difference.
bool SignConditions::is_kink(NodeId choice) const {
  const Node node = graph_[choice];
  if (node.operation == Operation::absolute || kinks_.count(choice) > 0) return true;
  if (node.operation != Operation::choose) return false;
  const NodeId difference = graph_.subtract(node.b, node.c);
  return difference == node.a || graph_.negate(difference) == node.a;
}

bool SignConditions::jumps(NodeId value) const {
  const std::vector<NodeId> nodes = graph_.reachable({value});
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) { return is_piecewise(id) && !is_kink(id); });
}

// Operands come before what is made of them, so that no node of the kind is in the condition of the first.
template <class Suits>
std::optional<NodeId> SignConditions::first_of(NodeId value, const Suits& suits) const {
  const std::vector<NodeId> nodes = graph_.reachable({value});
  const auto first = std::find_if(nodes.begin(), nodes.end(), suits);
  return first == nodes.end() ? std::nullopt : std::optional(*first);
}

std::optional<NodeId> SignConditions::innermost(NodeId value) const {
  return first_of(value, [&](NodeId id) { return is_piecewise(id); });
}

std::optional<NodeId> SignConditions::innermost_held(NodeId value) const {
  return first_of(value, [&](NodeId id) { return has_sides(id) && is_held_(graph_[id].a); });
}

NodeId SignConditions::on_side(NodeId value, NodeId piecewise, int sign) {
  const Node node = graph_[piecewise];
  NodeId there = 0;
  switch (node.operation) {
    case Operation::choose: there = sign > 0 ? node.b : node.c; break;
    case Operation::absolute: there = sign > 0 ? node.a : graph_.negate(node.a); break;
    case Operation::sign: there = graph_.constant(sign); break;
    default: there = graph_.constant(sign > 0 ? 1 : 0);
  }
  return graph_.with_nodes(value, {{piecewise, there}});
}

std::vector<int> SignConditions::possible_sides(NodeId condition) const {
  const std::optional<double> number = constant_of(graph_, condition);
  if (number) return {*number > 0 ? 1 : -1};
  const std::optional<LinearGuard> linear = linear_guard(graph_, condition);
  if (!linear) return {1, -1};
  std::vector<int> sides;
  for (const int sign : {1, -1}) {
    const bool is_excluded = std::any_of(sides_.begin(), sides_.end(), [&](const KnownSide& known) {
      const double ratio = ratio_of(*linear, known.guard);
      return ratio != 0 ? (ratio > 0 ? 1 : -1) * known.sign != sign
                        : exclude_each_other(*linear, sign, known.guard, known.sign);
    });
    if (!is_excluded) sides.push_back(sign);
  }
  return sides;
}

// A held value may be zero for long: the lower side of a held condition holds where the condition is zero, too.
std::optional<bool> SignConditions::known_of_held(NodeId value, bool closed) const {
  const std::optional<LinearGuard> linear = linear_guard(graph_, value);
  if (!linear) return std::nullopt;
  for (const KnownSide& known : sides_) {
    const double ratio = ratio_of(*linear, known.guard);
    if (ratio == 0) continue;
    if (known.sign > 0) return ratio > 0;
    if (ratio > 0 && !closed) return false;
    if (ratio < 0 && closed) return true;
  }
  return std::nullopt;
}

// visit(sign, value there) on the possible sides.
template <class Visit>
void SignConditions::on_sides(NodeId value, NodeId piecewise, const Visit& visit) {
  if (++looked_at_ > kMostSides) throw TooManySides{};
  const NodeId condition = graph_[piecewise].a;
  for (const int sign : possible_sides(condition)) {
    const std::optional<LinearGuard> linear = linear_guard(graph_, condition);
    if (linear) sides_.push_back({*linear, sign});
    visit(sign, on_side(value, piecewise, sign));
    if (linear) sides_.pop_back();
  }
}

bool SignConditions::is_zero_for_long(NodeId value) {
  const auto known = zero_for_long_.find(value);
  if (known != zero_for_long_.end()) return known->second;
  looked_at_ = 0;
  bool found = false;
  try {
    found = has_zero_side(value);
  } catch (const TooManySides&) {
    sides_.clear();
  }
  return zero_for_long_[value] = found;
}

bool SignConditions::has_zero_side(NodeId value) {
  const std::optional<double> number = constant_of(graph_, value);
  if (number) return *number == 0;
  bool found = false;
  if (const std::optional<NodeId> held = is_held_(value) ? innermost_held(value) : std::nullopt) {
    if (++looked_at_ > kMostSides) throw TooManySides{};
    for (const int sign : {1, -1}) found = found || has_zero_side(on_side(value, *held, sign));
    return found;
  }
  const std::optional<NodeId> piecewise = innermost(value);
  if (piecewise)
    on_sides(value, *piecewise, [&](int, NodeId there) { found = found || has_zero_side(there); });
  return found;
}

bool SignConditions::is_flag(NodeId value) {
  looked_at_ = 0;
  sides_.clear();
  return has_held_sides(value);
}

bool SignConditions::has_held_sides(NodeId value) {
  if (graph_.is_constant(value) || is_held_(value)) return true;
  const std::optional<NodeId> piecewise = innermost(value);
  if (!piecewise) return false;
  bool all = true;
  on_sides(value, *piecewise, [&](int, NodeId there) { all = all && has_held_sides(there); });
  return all;
}

NodeId SignConditions::positive(NodeId value, bool closed) {
  looked_at_ = 0;
  sides_.clear();
  return positive_of(value, closed);
}

NodeId SignConditions::positive_of(NodeId value, bool closed) {
  const NodeId yes = graph_.constant(1);
  const NodeId no = graph_.constant(-1);
  if (const std::optional<double> number = constant_of(graph_, value))
    return *number > 0 || (closed && *number == 0) ? yes : no;
  if (is_held_(value)) {
    if (const std::optional<NodeId> held = innermost_held(value); held && has_zero_side(value)) {
      std::optional<NodeId> above, below;
      on_sides(value, *held,
               [&](int sign, NodeId there) { (sign > 0 ? above : below) = positive_of(there, closed); });
      if (!above || !below) return above ? *above : below.value_or(no);
      return *above == *below ? *above : graph_.choose(graph_[*held].a, *above, *below);
    }
    const std::optional<bool> known = known_of_held(value, closed);
    if (known) return *known ? yes : no;
    return closed ? graph_.choose(graph_.opposite(value), no, yes) : graph_.choose(value, yes, no);
  }
  if (!sides_.empty()) {
    // The sides that are known may tell its sign.
    const std::vector<int> signs = possible_sides(value);
    if (signs.size() == 1) return signs.front() > 0 ? yes : no;
  }
  const std::optional<NodeId> piecewise = innermost(value);
  if (!piecewise || (sides_.empty() && !jumps(value) && !has_zero_side(value))) return value;
  const NodeId condition = graph_[*piecewise].a;
  std::optional<NodeId> above, below;
  on_sides(value, *piecewise,
           [&](int sign, NodeId there) { (sign > 0 ? above : below) = positive_of(there, closed); });
  if (!above || !below) return above ? *above : below.value_or(no);
  if (*above == *below) return *above;
  const NodeId opposite = graph_.opposite(condition);
  // Where one of them always holds, its side need not be asked for beside the other.
  if (*above == yes) return either(condition, *below);
  if (*below == yes) return either(opposite, *above);
  // Where both sides hold, the guard passes the condition's zero without a touch.
  return either(either(both(condition, *above), both(opposite, *below)), both(*above, *below));
}

NodeId SignConditions::joined(NodeId a, NodeId b, bool either) {
  const NodeId decided = graph_.constant(either ? 1 : -1);
  if (a == b) return a;
  if (a == graph_.opposite(b)) return decided;
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (graph_.is_constant(one)) return (graph_.value(one) > 0) == either ? decided : other;
    const Node node = graph_[one];
    if (node.operation != Operation::choose || !is_held_(node.a)) continue;
    const NodeId above = joined(node.b, other, either);
    return graph_.choose(node.a, above, joined(node.c, other, either));
  }
  const std::optional<LinearGuard> first = linear_guard(graph_, a);
  const std::optional<LinearGuard> second = linear_guard(graph_, b);
  if (first && second) {
    const double ratio = ratio_of(*first, *second);
    if (ratio > 0) return a;
    const int side = either ? -1 : 1;
    // Both cannot be on this side at once.
    if (ratio < 0 || exclude_each_other(*first, side, *second, side)) return decided;
    // Where the one is on this side, the other one is, too.
    if (exclude_each_other(*first, side, *second, -side)) return a;
    if (exclude_each_other(*second, side, *first, -side)) return b;
  }
  const NodeId difference = graph_.subtract(a, b);
  return either ? graph_.choose(difference, a, b) : graph_.choose(difference, b, a);
}

}  // namespace slideway::reader
