// FormulaBuilder where a condition decides: comparisons joined by and, or, not, in `when` and in if().
//
// An event's guard is positive where its condition holds: a - b of a > b, the lesser of two that both must hold, the greater of two of
// which one must, and the opposite of what must not hold. A comparison of what is held between jumps, as discrete states are, is ±1,
// and chooses between the guards of the rest: it has no kink with them.

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "model_file/lowering_formula.hpp"
#include "model_file/open_sign.hpp"

namespace slideway::reader {
namespace {

// A guard in the equations may have as many.
constexpr std::size_t kMostKinks = 6;

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
              : "a value that moves passes another one in an instant: compare by >= or <=, which hold where "
                "both are equal");
}

// A condition that holds at one instant only, or at all others.
void FormulaBuilder::refuse_instant(const Place& place, TokenRange range, bool holds_there) {
  const TokenRange left = operand_ranges(place.formula.expression, range).first;
  fail_at(place, range,
          holds_there ? "a condition that holds at an instant only"
                      : "a condition that holds at all times except instants",
          "a condition that holds for some time", in_quotes(text(place, range)),
          "a guard is zero there: write " + margin_text(place, left, true));
}

SignConditions& FormulaBuilder::signs() {
  if (!signs_)
    signs_.emplace(
        graph_, [this](NodeId node) { return is_held(node); }, value_kinks_);
  return *signs_;
}

NodeId FormulaBuilder::positive(const Place& place, TokenRange range, NodeId value, bool closed) {
  try {
    return signs().positive(value, closed);
  } catch (const TooManySides&) {
    fail_at(place, range, "too many kinks and jumps in a condition", "some eight that hold independently",
            in_quotes(text(place, range)), "split it into events of their own");
  }
}

// The value with a surface for each of its kinks.
NodeId FormulaBuilder::with_surfaces(const Place& place, TokenRange range, NodeId value) {
  const Place surfaces{place.formula, Jumps::surfaces, place.element, place.other};
  const auto make_text = [&] { return text(place, range); };
  std::unordered_map<NodeId, NodeId> made;
  const std::uint32_t index = range.end - 1;
  const std::vector<NodeId> nodes = graph_.reachable({value});
  const auto is_kink = [&](NodeId id) {
    return graph_[id].operation == Operation::choose && !is_held(graph_[id].a);
  };
  // A guard with more than kMostKinks kinks gets no surfaces: each combination of sides would need a form of its own.
  const auto kinks = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), is_kink));
  if (kinks > kMostKinks) return value;
  for (const NodeId id : nodes) {
    const Node node = graph_[id];
    const auto operand = [&](NodeId of) {
      const auto known = made.find(of);
      return known == made.end() ? of : known->second;
    };
    const int operands = operand_count(node.operation);
    const NodeId a = operands > 0 ? operand(node.a) : node.a;
    const NodeId b = operands > 1 ? operand(node.b) : node.b;
    const NodeId c = operands > 2 ? operand(node.c) : node.c;
    const bool moves = operands > 0 && !is_held(node.a);
    if (node.operation == Operation::absolute && moves)
      made[id] = build_size(surfaces, index, a, make_text);
    else if (node.operation == Operation::choose && moves)
      made[id] = choose_by_sign(surfaces, index, a, {b, b, c, Change::kink}, make_text);
    else if (a != node.a || b != node.b || c != node.c)
      made[id] = graph_.rebuild(node, a, b, c);
  }
  const auto known = made.find(value);
  return known == made.end() ? value : known->second;
}

FormulaBuilder::Margin FormulaBuilder::decided_margin(bool holds) {
  const NodeId node = graph_.constant(holds ? 1 : -1);
  return {{node, node}, Closure::never_zero, false};
}

// The guard that is positive where a condition holds, or where it does not.
FormulaBuilder::Margin FormulaBuilder::margin(const Place& place, TokenRange range, bool holds) {
  const std::uint32_t root = range.end - 1;
  const TokenKind kind = place.formula.expression.tokens[root].kind;
  if (kind == TokenKind::opposite) return margin(place, {range.begin, root}, !holds);
  if (is_comparison(kind)) return margin_of_comparison(place, range, holds);
  const auto [left, right] = operand_ranges(place.formula.expression, range);
  const Margin first = margin(place, left, holds);
  const Margin second = margin(place, right, holds);
  const bool either = (kind == TokenKind::either) == holds;
  const std::optional<LinearGuard> one = linear_guard(graph_, first.of.value);
  const std::optional<LinearGuard> other = linear_guard(graph_, second.of.value);
  const Closure worst = either ? Closure::open : Closure::closed;
  if (one && other && first.closure == worst && second.closure == worst && ratio_of(*one, *other) < 0)
    refuse_instant(place, range, !either);
  const auto make_text = [&, one_side = left, other_side = right] {
    return margin_text(place, one_side, holds) + " - " + in_brackets(margin_text(place, other_side, holds));
  };
  const Twofold joined = joined_margins(place, root, first.of, second.of, either, make_text);
  const Closure closure = second.closure == Closure::never_zero || first.closure == second.closure
                              ? first.closure
                          : first.closure == Closure::never_zero ? second.closure
                                                                 : Closure::neither;
  // A choice that one of them has made alone does not change because the other one does.
  for (const Margin& part : {first, second})
    if (joined.value == part.of.value && graph_.is_constant(joined.value))
      return {joined, closure, part.moves};
  const bool moves = first.moves || second.moves;
  const std::optional<NodeId> at_first = holds_at_zero(first), at_second = holds_at_zero(second);
  if (closure != Closure::neither || !at_first || !at_second) return {joined, closure, moves};
  // The part that is nearer to the change of the condition is the one that comes to zero.
  const NodeId difference = graph_.subtract(first.of.value, second.of.value);
  return {joined, closure, moves,
          either ? graph_.choose(difference, *at_first, *at_second)
                 : graph_.choose(difference, *at_second, *at_first)};
}

std::optional<NodeId> FormulaBuilder::holds_at_zero(const Margin& margin) {
  if (margin.closure == Closure::neither) return margin.holds_at_zero;
  return graph_.constant(margin.closure == Closure::open ? -1 : 1);
}

FormulaBuilder::Margin FormulaBuilder::margin_of_comparison(const Place& place, TokenRange range,
                                                            bool holds) {
  const TokenKind kind = place.formula.expression.tokens[range.end - 1].kind;
  const std::pair<TokenRange, TokenRange> sides = operand_ranges(place.formula.expression, range);
  const auto difference_in = [&](const Place& in) {
    const NodeId a = build(in, sides.first);
    return graph_.subtract(a, build(in, sides.second));
  };
  const NodeId difference = difference_in(place);
  if (graph_.is_constant(difference)) return decided_margin(is_true(kind, graph_.value(difference)) == holds);
  const NodeId yes = graph_.constant(holds ? 1 : -1);
  const NodeId no = graph_.constant(holds ? -1 : 1);
  if (is_held(difference)) {
    const NodeId node = by_comparison(kind, difference, yes, no);
    return {{node, node}, Closure::never_zero};
  }
  if (is_equality(kind))
    return margin_of_equality(place, range, difference, (kind == TokenKind::equal) == holds);
  const bool is_flipped = is_less(kind) == holds;
  const bool closed = is_true(kind, 0) == holds;
  const Closure closure = closed ? Closure::closed : Closure::open;
  const auto oriented = [&](NodeId node) { return is_flipped ? graph_.opposite(node) : node; };
  if (!signs().is_plain(difference)) {
    const NodeId value = positive(place, range, oriented(difference), closed);
    return {{with_surfaces(place, range, value), value}, closure};
  }
  const NodeId bent = difference_in({place.formula, Jumps::surfaces, place.element, place.other});
  return {{oriented(bent), oriented(difference)}, closure};
}

// Flags are equal to numbers for some time.
FormulaBuilder::Margin FormulaBuilder::margin_of_equality(const Place& place, TokenRange range,
                                                          NodeId difference, bool equal) {
  bool is_flag = false;
  try {
    is_flag = signs().is_flag(difference);
  } catch (const TooManySides&) {
  }
  if (!is_flag) refuse_equality(place, range);
  const NodeId above = positive(place, range, difference, equal);
  const NodeId below = positive(place, range, graph_.opposite(difference), equal);
  const NodeId value = signs().joined(above, below, !equal);
  return {{with_surfaces(place, range, value), value}, Closure::neither};
}

// The guard of two: what is simple of its value needs no surface.
FormulaBuilder::Twofold FormulaBuilder::joined_margins(const Place& place, std::uint32_t index, Twofold a,
                                                       Twofold b, bool either, const Text& make_text) {
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (graph_.is_constant(one.value)) {
      const bool is_decided = (graph_.value(one.value) > 0) == either;
      return is_decided ? one : other;
    }
    const Node node = graph_[one.value];
    if (node.operation != Operation::choose || !is_held(node.a)) continue;
    const Node bent = graph_[one.node];
    const bool is_parallel = bent.operation == Operation::choose && bent.a == node.a;
    const Twofold above{is_parallel ? bent.b : one.node, node.b};
    const Twofold below{is_parallel ? bent.c : one.node, node.c};
    const Twofold joined_above = joined_margins(place, index, above, other, either, make_text);
    const Twofold joined_below = joined_margins(place, index, below, other, either, make_text);
    return {graph_.choose(node.a, joined_above.node, joined_below.node),
            graph_.choose(node.a, joined_above.value, joined_below.value)};
  }
  const NodeId value = signs().joined(a.value, b.value, either);
  if (graph_.is_constant(value)) return {value, value};
  if (value == a.value) return a;
  if (value == b.value) return b;
  // A condition with more than kMostKinks kinks gets no surfaces either, as in with_surfaces().
  const NodeId difference = graph_.subtract(a.node, b.node);
  if (graph_.has_lambda(difference) && surfaces_from(graph_, difference, 0).size() > kMostKinks)
    return {value, value};
  const Place surfaces{place.formula, Jumps::surfaces, place.element, place.other};
  return {extremum(surfaces, index, a.node, b.node, either, make_text), value};
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
  TokenRange range = whole_range(formula);
  const auto kind = [&] { return formula.expression.tokens[range.end - 1].kind; };
  if (formula.empty() || !is_condition(kind())) return guard_of_value(values);
  // x > 1 and x < 1 are the two directions of one guard.
  bool opposite = false;
  for (; kind() == TokenKind::opposite; --range.end) opposite = !opposite;
  const bool is_flipped = is_comparison(kind()) && is_less(kind());
  const Margin made = margin(values, range, !is_flipped);
  watch_kinks(made.of.node);
  EventGuard guard{made.of.value, opposite != is_flipped};
  if (made.closure == Closure::open || made.closure == Closure::closed) {
    const bool holds = (made.closure == Closure::closed) != (is_flipped != opposite);
    guard.at_zero = holds ? AtZero::holds : AtZero::fails;
  }
  if (made.holds_at_zero)
    guard.holds_at_zero = is_flipped != opposite ? graph_.opposite(*made.holds_at_zero) : *made.holds_at_zero;
  guard.is_decided = made.moves && graph_.is_constant(guard.node);
  return guard;
}

void FormulaBuilder::watch_kinks(NodeId guard) {
  if (!graph_.has_lambda(guard)) return;
  for (const std::uint32_t surface : surfaces_from(graph_, guard, 0)) surfaces_.watch(surface);
}

// A guard whose sign changes where the guard is not zero, or that is zero over an interval, is a condition: its value is above zero.
FormulaBuilder::EventGuard FormulaBuilder::guard_of_value(const Place& values) {
  const TokenRange range = whole_range(values.formula);
  const NodeId guard = build(values);
  if (graph_.is_constant(guard)) return {guard, false};
  if (signs().is_plain(guard)) {
    watch_kinks(build({values.formula, Jumps::surfaces, values.element}));
    return {guard, false};
  }
  const NodeId above = positive(values, range, guard, false);
  const NodeId below = positive(values, range, graph_.opposite(guard), false);
  const auto is_never = [&](NodeId node) { return graph_.is_constant(node) && graph_.value(node) < 0; };
  const std::string words = text(values, range);
  if (!is_never(above) && !is_never(below) && signs().is_zero_for_long(guard))
    fail_at(values, range, "a guard that is zero over an interval, and has both signs beside it",
            "a condition", in_quotes(words),
            "write when = \"" + words + " > 0\" or when = \"" + words + " < 0\", whichever is meant");
  const NodeId value = is_never(above) ? graph_.opposite(below) : above;
  watch_kinks(with_surfaces(values, range, value));
  return {value, false};
}

// ---- if ---------------------------------------------------------------------------------------------

NodeId FormulaBuilder::build_if(const Place& place, std::uint32_t index) {
  const Expression& expression = place.formula.expression;
  const TokenRange condition = argument_range(expression, index, 0);
  // know_sides() notes on which sides of guards the condition leads to a branch. The branch is built for these sides alone.
  const std::function<void(TokenRange, bool)> know_sides = [&](TokenRange range, bool holds) {
    const TokenKind kind = expression.tokens[range.end - 1].kind;
    if (kind == TokenKind::opposite) return know_sides({range.begin, range.end - 1}, !holds);
    const auto [left, right] = operand_ranges(expression, range);
    if (is_equality(kind)) return;
    if (!is_comparison(kind)) {
      if ((kind == TokenKind::both) != holds) return;
      know_sides(left, holds);
      return know_sides(right, holds);
    }
    const NodeId a = build(place, left);
    const NodeId difference = graph_.subtract(a, build(place, right));
    if (graph_.has_lambda(difference) || is_held(difference)) return;
    if (const std::optional<LinearGuard> guard = linear_guard(graph_, difference))
      sides_.push_back({*guard, is_less(kind) == holds ? -1 : 1});
  };
  std::optional<NodeId> built[2];
  const auto branch = [&](std::uint32_t number) {
    std::optional<NodeId>& node = built[number - 1];
    if (node) return *node;
    const std::size_t known = sides_.size();
    if (place.jumps == Jumps::surfaces) know_sides(condition, number == 1);
    node = argument(place, index, number);
    sides_.resize(known);
    return *node;
  };
  return decide(
      place, index, condition, true, [&] { return branch(1); }, [&] { return branch(2); });
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
  const bool held = is_held(difference);
  const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
  if (is_equality(kind) && !held && (is_value || !graph_.has_lambda(difference)))
    refuse_equality(place, range);
  if (held || is_value) {
    const NodeId chosen = yes();
    return by_comparison(kind, difference, chosen, no());
  }
  const NodeId chosen = yes();
  const NodeId other = no();
  // Where a side of the kinks makes the difference zero, the comparison decides.
  const NodeId at_zero = is_true(kind, 0) ? chosen : other;
  Choice choice = is_less(kind) ? Choice{other, at_zero, chosen} : Choice{chosen, at_zero, other};
  if (is_equality(kind)) {
    choice = kind == TokenKind::equal ? Choice{other, chosen, other} : Choice{chosen, other, chosen};
    choice.equality = &range;
  }
  return choose_by_sign(place, index, difference, choice,
                        [&] { return difference_text(place, sides.first, sides.second); });
}

}  // namespace slideway::reader
