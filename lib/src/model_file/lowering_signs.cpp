// FormulaBuilder where a value jumps or has a kink: the surfaces that arise, and the sides that a sign chooses between.

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "model_file/lowering_formula.hpp"
#include "model_file/open_sign.hpp"

namespace slideway::reader {
namespace {

// A guard with kinks or jumps is told on all sides of as many surfaces.
constexpr int most_sides = 6;

const char* kink_or_jump(Function function) {
  const bool bends = function == Function::abs || function == Function::min || function == Function::max ||
                     function == Function::saturation || function == Function::dead_zone;
  return bends ? "has a kink" : "jumps";
}

// A long expression of a bend is hard to tell from its neighbours: max(max(u + w, -1) - 1, 0) has two of them.
bool is_unreadable(const std::string& guard, std::string_view function) {
  constexpr std::size_t longest = 24;
  const auto holds = [&](const char* call) { return guard.find(call) != std::string::npos; };
  return guard.size() > longest &&
         (function == "min" || function == "max" || holds("min(") || holds("max(") || holds("abs(") ||
          holds("sgn(") || holds("step(") || holds("if("));
}

// u2 of "definition 'u'", and v' of "the derivative of 'v'"; "" for what has no name of its own.
std::string owner_name(const std::string& owner, std::uint32_t element) {
  const std::string number = element > 0 ? std::to_string(element) : "";
  for (const auto& [kind, end] : {std::pair{"definition '", ""}, std::pair{"the derivative of '", "'"}}) {
    const std::size_t begin = std::string_view(kind).size();
    if (owner.rfind(kind, 0) == 0 && owner.ends_with('\'') && owner.size() > begin + 1)
      return owner.substr(begin, owner.size() - begin - 1) + number + end;
  }
  return "";
}

}  // namespace

NodeId FormulaBuilder::build_sign(const Place& place, std::uint32_t index, Function function) {
  const NodeId operand = argument(place, index, 0);
  const Operation operation = function == Function::sgn    ? Operation::sign
                              : function == Function::step ? Operation::step
                                                           : Operation::absolute;
  const bool absolute = function == Function::abs;
  const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
  if (is_value || graph_.is_constant(operand)) return graph_.unary(operation, operand);
  const TokenRange range = argument_range(place.formula.expression, index, 0);
  const auto make_text = [&] { return text(place, range); };
  if (absolute) return build_size(place, index, operand, make_text);
  const NodeId one = graph_.constant(1);
  const NodeId none = graph_.constant(0);
  const Choice choice = function == Function::step ? Choice{one, none, none, Change::jump}
                                                   : Choice{one, none, graph_.negate(one), Change::jump};
  return choose_by_sign(place, index, operand, choice, make_text);
}

// |operand|
NodeId FormulaBuilder::build_size(const Place& place, std::uint32_t index, NodeId operand,
                                  const Text& make_text) {
  const NodeId one = graph_.constant(1);
  const bool bends = graph_.has_lambda(operand);
  const Choice choice = bends ? Choice{operand, operand, graph_.negate(operand), Change::kink}
                              : Choice{one, graph_.constant(0), graph_.negate(one), Change::kink};
  const NodeId node = choose_by_sign(place, index, operand, choice, make_text);
  const NodeId size = bend(bends ? node : graph_.multiply(node, operand), operand, operand);
  nonnegative_.insert(size);
  return size;
}

// The first node on the side where the guard that was asked for is positive.
NodeId FormulaBuilder::select(SurfaceSide side, NodeId positive, NodeId negative) {
  return side.sign > 0 ? graph_.select(side.surface, positive, negative)
                       : graph_.select(side.surface, negative, positive);
}

NodeId FormulaBuilder::build_extremum(const Place& place, std::uint32_t index, bool largest) {
  const NodeId a = argument(place, index, 0);
  const NodeId b = argument(place, index, 1);
  const Expression& expression = place.formula.expression;
  if (b == graph_.negate(a) && place.jumps != Jumps::values && place.jumps != Jumps::refused_in_event &&
      !graph_.is_constant(a)) {
    // The one of them that is written without a sign.
    const bool second = graph_[a].operation == Operation::negate;
    const TokenRange range = argument_range(expression, index, second ? 1 : 0);
    const NodeId size = build_size(place, index, second ? b : a, [&] { return text(place, range); });
    return largest ? size : bend(graph_.negate(size), a, b);
  }
  return extremum(place, index, a, b, largest, [&] {
    return difference_text(place, argument_range(expression, index, 0), argument_range(expression, index, 1));
  });
}

NodeId FormulaBuilder::extremum(const Place& place, std::uint32_t index, NodeId a, NodeId b, bool largest,
                                const Text& make_text) {
  const NodeId difference = graph_.subtract(a, b);
  const NodeId above = largest ? a : b;
  const NodeId below = largest ? b : a;
  const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
  if (is_value || graph_.is_constant(difference)) return graph_.choose(difference, above, below);
  const NodeId node =
      choose_by_sign(place, index, difference, {above, above, below, Change::kink}, make_text);
  const bool first = is_nonnegative(a);
  const bool second = is_nonnegative(b);
  if (largest ? first || second : first && second) nonnegative_.insert(node);
  return bend(node, a, b);
}

SurfaceSide FormulaBuilder::surface(const Place& place, std::uint32_t index, NodeId guard,
                                    const Text& make_text) {
  const Token& token = place.formula.expression.tokens[index];
  const std::string name = in_quotes(place.formula.expression.spelling(token));
  if (refuses_jumps(place.jumps)) {
    const Symbol symbol = place.formula.symbols[index];
    const bool is_table = symbol.kind == SymbolKind::table;
    const bool table_bends = is_table && !model_.tables[symbol.index].table->jumps();
    const char* const what = is_table ? (table_bends ? "has kinks at its knots" : "jumps at its knots")
                                      : kink_or_jump(functions()[symbol.index].function);
    refuse_jump(place, index, name + ", which " + what);
  }
  if (graph_.has_lambda(guard)) refuse_jump(place, index, in_quotes(make_text()) + " under " + name);
  refuse_unknown(place, index, guard);
  const auto short_text = [&] {
    const std::string whole = make_text();
    const std::string function(place.formula.expression.spelling(token));
    const std::string owner =
        is_unreadable(whole, function) ? owner_name(place.formula.owner, place.element) : "";
    return owner.empty() ? whole : function + " in " + owner;
  };
  return surfaces_.find_or_add(guard, {place.formula.position, token.begin, place.element}, short_text);
}

// choose_by_sign() finds the sign of a guard with kinks or jumps on each side of every one of them, with a smooth
// guard there.
NodeId FormulaBuilder::choose_by_sign(const Place& place, std::uint32_t index, NodeId guard,
                                      const Choice& choice, const Text& make_text, int sides_known) {
  if (graph_.is_constant(guard)) {
    const double value = graph_.value(guard);
    return value > 0 ? choice.positive : value < 0 ? choice.negative : choice.zero;
  }
  // A value that is held between jumps has no surface to come to.
  if (is_held(guard))
    return graph_.choose(guard, choice.positive,
                         graph_.choose(graph_.opposite(guard), choice.negative, choice.zero));
  if (sides_known == 0 && !algebraic_nodes_.is_open && graph_.has_lambda(guard))
    if (const std::optional<NodeId> sign = decided_sign(guard))
      return by_sign(*sign, choice.positive, choice.negative);
  if (sides_known > 0) {
    // A root of what is positive on this side is, too.
    const GuardKey known = guard_key(graph_, guard);
    if (!graph_.has_lambda(known.key) && is_nonnegative(known.key))
      return known.sign > 0 ? choice.positive : choice.negative;
  }
  // Terms that cancel, as kinks may on this side, leave what rounding makes of them: a sign of that says nothing.
  const std::optional<LinearGuard> linear =
      graph_.has_lambda(guard) ? std::nullopt : linear_guard(graph_, guard);
  if (linear && linear->terms.empty())
    return choose_by_sign(place, index, graph_.constant(linear->constant), choice, make_text);
  // Nothing has a value where a table has none, and no surface decides.
  const std::optional<NodeId> end = sides_known > 0 ? end_of_table_in(guard) : std::nullopt;
  if (end) return graph_.add(graph_.choose(guard, choice.positive, choice.negative), *end);
  const bool splits = !refuses_jumps(place.jumps) && sides_known < most_sides && graph_.has_lambda(guard);
  if (!splits && place.jumps == Jumps::observed) {
    const std::optional<SurfaceSide> known = surfaces_.find(guard);
    if (known) return select(*known, choice.positive, choice.negative);
    return graph_.choose(guard, choice.positive,
                         graph_.choose(graph_.negate(guard), choice.negative, choice.zero));
  }
  if (!splits && choice.change != Change::other && algebraic_nodes_.is_open && has_unknown(guard))
    return open_sign(place, index, guard, choice, make_text);
  if (!splits && choice.equality) refuse_equality(place, *choice.equality);
  if (!splits) {
    const SurfaceSide side = surface(place, index, guard, make_text);
    // Both values of a kink are one at zero.
    if (choice.change != Change::kink && choice.positive != choice.negative)
      surfaces_.say_at_zero(side, choice.zero == choice.positive   ? 1
                                  : choice.zero == choice.negative ? -1
                                                                   : 0);
    return select(side, choice.positive, choice.negative);
  }
  const auto depends = [&](NodeId id) { return graph_.has_lambda(id); };
  const std::uint32_t kink = surface_in(guard);
  // All guards are asked for everywhere: √|x| is √x on one side, which is none on the other.
  const NodeId everywhere =
      sides_known == 0 ? graph_.defined_beyond(
                             guard, [&](NodeId id) { return depends(id) && is_nonnegative(id); }, depends)
                       : guard;
  // √x is such a value under the condition x > 0.
  const auto anything = [](NodeId) { return true; };
  NodeId guard_on[2] = {guard, guard};  // below the kink, and above
  const auto on = [&](int sign) {
    const auto never_negative = [&](NodeId id) {
      const std::optional<SurfaceSide> side = surfaces_.find(id);
      return side && side->surface == kink && side->sign * sign > 0;
    };
    const NodeId there =
        graph_.defined_beyond(graph_.on_side(everywhere, kink, sign, depends), never_negative, anything);
    guard_on[sign > 0 ? 1 : 0] = there;
    return choose_by_sign(place, index, there, choice, make_text, sides_known + 1);
  };
  const std::optional<LinearGuard> side =
      is_open_sign(kink) ? std::nullopt : linear_guard(graph_, surfaces_.guard(kink));
  // Sides that cannot be in force together, as x > a and x < −a, are left out.
  const auto can_be = [&](int sign) {
    return !side || std::none_of(sides_.begin(), sides_.end(), [&](const KnownSide& known) {
      const double ratio = ratio_of(*side, known.guard);
      return ratio != 0 ? (ratio > 0 ? known.sign : -known.sign) != sign
                        : exclude_each_other(*side, sign, known.guard, known.sign);
    });
  };
  const auto on_side = [&](int sign) {
    if (side) sides_.push_back({*side, sign});
    const NodeId result = on(sign);
    if (side) sides_.pop_back();
    return result;
  };
  if (!can_be(1)) return on_side(-1);
  const NodeId above = on_side(1);
  if (!can_be(-1)) return above;
  const NodeId below = on_side(-1);
  // Both values of a kink are one at zero.
  if (above != below && choice.change != Change::kink && bends_only(guard))
    if (const int at_zero = side_that_sees_less(guard_on[0], guard_on[1]); at_zero != 0)
      surfaces_.say_at_zero({kink, 1}, at_zero);
  return graph_.select(kink, above, below);
}

// A guard that bends has one value at the kink. Its sign there is that of the side on which it depends on fewer states: √max(h, 0) > 0 is
// false at h = 0, as it is below. The result is −1 or +1, and 0 where no side depends on a part of what the other side depends on.
int FormulaBuilder::side_that_sees_less(NodeId below, NodeId above) const {
  const auto seen_by = [&](NodeId root) {
    std::set<std::uint32_t> seen;  // the time is 0
    for (const NodeId id : graph_.reachable({root})) {
      const Node& node = graph_[id];
      if (node.operation == Operation::state) seen.insert(node.a + 1);
      if (node.operation == Operation::time) seen.insert(0);
    }
    return seen;
  };
  const auto is_part = [](const std::set<std::uint32_t>& one, const std::set<std::uint32_t>& other) {
    return one.size() < other.size() && std::includes(other.begin(), other.end(), one.begin(), one.end());
  };
  const std::set<std::uint32_t> seen_below = seen_by(below), seen_above = seen_by(above);
  return is_part(seen_below, seen_above) ? -1 : is_part(seen_above, seen_below) ? 1 : 0;
}

// A node without a value beyond the end of a table, where it is in force on all sides that are left.
std::optional<NodeId> FormulaBuilder::end_of_table_in(NodeId root) const {
  if (ends_of_tables_.empty()) return std::nullopt;
  std::vector<NodeId> open = {root};
  std::unordered_set<NodeId> seen;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second || graph_[id].operation == Operation::select) continue;
    if (ends_of_tables_.count(id) > 0) return id;
    for_operands(graph_[id], [&](NodeId operand) { open.push_back(operand); });
  }
  return std::nullopt;
}

// A node that goes over from one value to another where they are equal.
NodeId FormulaBuilder::bend(NodeId node, NodeId first, NodeId second) {
  if (bends_only(first) && bends_only(second)) bends_.insert(node);
  return node;
}

bool FormulaBuilder::bends_only(NodeId root) const {
  std::vector<NodeId> open = {root};
  std::unordered_set<NodeId> seen;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!graph_.has_lambda(id) || bends_.count(id) > 0 || !seen.insert(id).second) continue;
    const Node& node = graph_[id];
    if (node.operation == Operation::lambda || node.operation == Operation::select) return false;
    for_operands(node, [&](NodeId operand) { open.push_back(operand); });
  }
  return true;
}

// is_nonnegative() tells whether a value is seen never to be below zero, on whatever sides are in force. The
// answer false does not exclude it.
bool FormulaBuilder::is_nonnegative(NodeId id, int depth) const {
  const Node node = graph_[id];
  if (nonnegative_.count(id) > 0) return true;
  if (depth == 0) return false;
  switch (node.operation) {
    case Operation::constant: return node.value >= 0;
    case Operation::absolute:
    case Operation::exp:
    case Operation::cosh:
    case Operation::sqrt: return true;
    case Operation::multiply:
      if (node.a == node.b) return true;
      [[fallthrough]];
    case Operation::add:
    case Operation::divide: return is_nonnegative(node.a, depth - 1) && is_nonnegative(node.b, depth - 1);
    case Operation::power: return graph_.is_even(node.b) || is_nonnegative(node.a, depth - 1);
    default: return false;
  }
}

// The first surface that is met in what a node is made of.
std::uint32_t FormulaBuilder::surface_in(NodeId root) const {
  for (NodeId id = root;;) {
    const Node& node = graph_[id];
    if (node.operation == Operation::lambda) return node.a;
    if (node.operation == Operation::select) return node.c;
    const int operands = operand_count(node.operation);
    id = graph_.has_lambda(node.a) ? node.a : operands > 1 && graph_.has_lambda(node.b) ? node.b : node.c;
  }
}

}  // namespace slideway::reader
