// FormulaBuilder where a condition decides: comparisons joined by and, or, not, in `when` and in if().
//
// An event's guard is positive where its condition holds: a - b of a > b, the lesser of two that both must hold, the greater of two of
// which one must, and the opposite of what must not hold. A comparison of what is held between jumps, as discrete states are, is ±1,
// and chooses between the guards of the rest: it has no kink with them.

#include <cmath>
#include <utility>

#include "model_file/lowering_formula.hpp"

namespace slideway::reader {
namespace {

TokenRange whole_range(const Formula& formula) {
  return {0, static_cast<std::uint32_t>(formula.expression.tokens.size())};
}

bool is_less(TokenKind kind) { return kind == TokenKind::less || kind == TokenKind::less_equal; }

bool is_equality(TokenKind kind) { return kind == TokenKind::equal || kind == TokenKind::not_equal; }

std::string in_brackets(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

bool is_true(TokenKind kind, double difference) {
  switch (kind) {
    case TokenKind::greater: return difference > 0;
    case TokenKind::greater_equal: return difference >= 0;
    case TokenKind::less: return difference < 0;
    case TokenKind::less_equal: return difference <= 0;
    case TokenKind::equal: return difference == 0;
    default: return difference != 0;
  }
}

}  // namespace

// is_held() returns true if an expression depends on discrete states and parameters alone. Its value then changes
// only at jumps.
bool FormulaBuilder::is_held(NodeId root) const {
  bool has_state = false;
  std::vector<NodeId> open = {root};
  std::unordered_set<NodeId> seen;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Node& node = graph_[id];
    if (node.operation == Operation::state && node.a >= extents_.first_held) {
      has_state = true;
      continue;
    }
    const bool moves = node.operation == Operation::state || node.operation == Operation::time ||
                       node.operation == Operation::unknown || node.operation == Operation::impact ||
                       graph_.has_lambda(id);
    if (moves) return false;
    for_operands(node, [&](NodeId operand) { open.push_back(operand); });
  }
  return has_state;
}

// One of two values by what a held difference says.
NodeId FormulaBuilder::by_comparison(TokenKind kind, NodeId difference, NodeId yes, NodeId no) {
  switch (kind) {
    case TokenKind::greater: return graph_.choose(difference, yes, no);
    case TokenKind::greater_equal: return graph_.choose(graph_.opposite(difference), no, yes);
    case TokenKind::less: return graph_.choose(graph_.opposite(difference), yes, no);
    case TokenKind::less_equal: return graph_.choose(difference, no, yes);
    case TokenKind::equal: return graph_.choose(graph_.unary(Operation::absolute, difference), no, yes);
    default: return graph_.choose(graph_.unary(Operation::absolute, difference), yes, no);
  }
}

void FormulaBuilder::refuse_equality(const Place& place, TokenRange range) {
  const auto [left, right] = operand_ranges(place.formula.expression, range);
  fail_at(place, range, "an equality of what moves",
          "discrete states, parameters and numbers beside == and !=", in_quotes(text(place, range)),
          place.jumps == Jumps::refused_in_event
              ? "a guard is zero there: write " + difference_text(place, left, right)
              : "a value that moves is equal to another for no time: compare by > or <");
}

// The guard that is positive where a condition holds, or where it does not.
NodeId FormulaBuilder::margin(const Place& place, TokenRange range, bool holds) {
  const std::uint32_t root = range.end - 1;
  const TokenKind kind = place.formula.expression.tokens[root].kind;
  if (kind == TokenKind::opposite) return margin(place, {range.begin, root}, !holds);
  const auto [left, right] = operand_ranges(place.formula.expression, range);
  if (!is_comparison(kind)) {
    const NodeId first = margin(place, left, holds);
    const NodeId second = margin(place, right, holds);
    const auto make_text = [&, one = left, two = right] {
      return margin_text(place, one, holds) + " - " + in_brackets(margin_text(place, two, holds));
    };
    return joined_margins(place, root, first, second, (kind == TokenKind::either) == holds, make_text);
  }
  const NodeId a = build(place, left);
  const NodeId difference = graph_.subtract(a, build(place, right));
  const NodeId yes = graph_.constant(holds ? 1 : -1);
  const NodeId no = graph_.constant(holds ? -1 : 1);
  if (graph_.is_constant(difference)) return is_true(kind, graph_.value(difference)) ? yes : no;
  if (is_held(difference)) return by_comparison(kind, difference, yes, no);
  if (is_equality(kind)) refuse_equality(place, range);
  return is_less(kind) == holds ? graph_.opposite(difference) : difference;
}

NodeId FormulaBuilder::joined_margins(const Place& place, std::uint32_t index, NodeId a, NodeId b,
                                      bool largest, const Text& make_text) {
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (graph_.is_constant(one)) return (graph_.value(one) > 0) == largest ? one : other;
    const Node node = graph_[one];
    if (node.operation != Operation::choose || !is_held(node.a)) continue;
    const auto with = [&, first = one == a](NodeId part) {
      return first ? joined_margins(place, index, part, b, largest, make_text)
                   : joined_margins(place, index, a, part, largest, make_text);
    };
    const NodeId positive = with(node.b);
    return graph_.choose(node.a, positive, with(node.c));
  }
  return extremum(place, index, a, b, largest, make_text);
}

std::string FormulaBuilder::margin_text(const Place& place, TokenRange range, bool holds) {
  const std::uint32_t root = range.end - 1;
  const TokenKind kind = place.formula.expression.tokens[root].kind;
  if (kind == TokenKind::opposite) return margin_text(place, {range.begin, root}, !holds);
  const auto [left, right] = operand_ranges(place.formula.expression, range);
  if (is_comparison(kind))
    return is_less(kind) == holds ? difference_text(place, right, left) : difference_text(place, left, right);
  return ((kind == TokenKind::either) == holds ? "max(" : "min(") + margin_text(place, left, holds) + ", " +
         margin_text(place, right, holds) + ")";
}

FormulaBuilder::EventGuard FormulaBuilder::event_guard(const Formula& formula, std::uint32_t element) {
  start();
  const Place values{formula, Jumps::refused_in_event, element};
  const Place surfaces{formula, Jumps::surfaces, element};
  TokenRange range = whole_range(formula);
  const auto kind = [&] { return formula.expression.tokens[range.end - 1].kind; };
  if (formula.empty() || !is_condition(kind())) {
    const NodeId guard = build(values);
    build(surfaces);
    return {guard, false};
  }
  // x > 1 and x < 1 are the two directions of one guard.
  bool opposite = false;
  for (; kind() == TokenKind::opposite; --range.end) opposite = !opposite;
  if (is_comparison(kind()) && is_less(kind())) opposite = !opposite;
  const bool is_flipped = is_comparison(kind()) && is_less(kind());
  const NodeId guard = margin(values, range, !is_flipped);
  margin(surfaces, range, !is_flipped);
  return {guard, opposite};
}

// ---- if ---------------------------------------------------------------------------------------------

NodeId FormulaBuilder::build_if(const Place& place, std::uint32_t index) {
  std::optional<NodeId> built[2];
  const auto branch = [&](std::uint32_t number) {
    std::optional<NodeId>& node = built[number - 1];
    if (!node) node = argument(place, index, number);
    return *node;
  };
  return decide(
      place, index, argument_range(place.formula.expression, index, 0), true, [&] { return branch(1); },
      [&] { return branch(2); });
}

// A branch that no condition can lead to is not built.
NodeId FormulaBuilder::decide(const Place& place, std::uint32_t index, TokenRange range, bool holds,
                              const Branch& yes, const Branch& no) {
  const std::uint32_t root = range.end - 1;
  const TokenKind kind = place.formula.expression.tokens[root].kind;
  if (kind == TokenKind::opposite) return decide(place, index, {range.begin, root}, !holds, yes, no);
  const auto [left, right] = operand_ranges(place.formula.expression, range);
  if (is_comparison(kind)) {
    return holds ? compare(place, index, range, yes, no) : compare(place, index, range, no, yes);
  }
  const auto second = [&, range_of_second = right] {
    return decide(place, index, range_of_second, holds, yes, no);
  };
  return (kind == TokenKind::both) == holds ? decide(place, index, left, holds, second, no)
                                            : decide(place, index, left, holds, yes, second);
}

NodeId FormulaBuilder::compare(const Place& place, std::uint32_t index, TokenRange range, const Branch& yes,
                               const Branch& no) {
  const Expression& expression = place.formula.expression;
  const TokenKind kind = expression.tokens[range.end - 1].kind;
  const std::pair<TokenRange, TokenRange> sides = operand_ranges(expression, range);
  const NodeId a = build(place, sides.first);
  const NodeId difference = graph_.subtract(a, build(place, sides.second));
  if (graph_.is_constant(difference)) return is_true(kind, graph_.value(difference)) ? yes() : no();
  const bool held = is_held(difference) && !surfaces_.find(difference);
  if (is_equality(kind) && !is_held(difference)) refuse_equality(place, range);
  if (held || is_equality(kind) || place.jumps == Jumps::values) {
    const NodeId chosen = yes();
    return by_comparison(kind, difference, chosen, no());
  }
  const bool less = is_less(kind);
  const NodeId chosen = yes();
  const NodeId other = no();
  const Choice choice = less ? Choice{other, other, chosen} : Choice{chosen, other, other};
  return choose_by_sign(place, index, difference, choice,
                        [&] { return difference_text(place, sides.first, sides.second); });
}

}  // namespace slideway::reader
