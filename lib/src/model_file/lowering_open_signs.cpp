// FormulaBuilder where algebraic variables decide kinks and jumps of their own equations.
//
// The equations are solved with the sign on either side, Y⁺ and Y⁻. With G the guard, G(Y⁺) and G(Y⁻) have the same sign at a kink that
// leaves one solution, and vanish together: one of them is the guard of a surface. Where kinks decide each other, that guard has the value
// of the other variables on their own sides, so that every kink is one surface. A jump against the variable leaves a third branch where
// neither side holds, G(Y⁺) ≤ 0 ≤ G(Y⁻): the sign is between its values, so that G = 0.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "expression/expression_derivatives.hpp"
#include "model_file/lowering_formula.hpp"
#include "model_file/node_bounds.hpp"
#include "model_file/open_sign.hpp"

namespace slideway::reader {

namespace {

// G(Y⁻) − G(Y⁺), where G is linear in the sign: by its slope, since the values on both sides do not cancel term by term.
NodeId gap_of(ExpressionGraph& graph, NodeId guard, std::uint32_t open) {
  const auto slopes = gradients(graph, {guard}, Variables::lambdas);
  for (const PartialDerivative& slope : slopes->front())
    if (slope.variable == open) return graph.multiply(graph.constant(-2), slope.value);
  return graph.constant(0);
}

}  // namespace

NodeId FormulaBuilder::open_sign(const Place& place, std::uint32_t index, NodeId guard, const Choice& choice,
                                 const Text& make_text) {
  const std::optional<GuardForm> form = guard_form(graph_, guard, surfaces_.known());
  NumbersByForm& by_form = open_signs_.by_form[choice.change == Change::kink ? 0 : 1];
  const auto next = static_cast<std::uint32_t>(open_signs_.all.size());
  const std::optional<std::uint32_t> same = form ? by_form.find(*form) : std::nullopt;
  const std::uint32_t number = same.value_or(next);
  if (!same) {
    if (form) by_form.add(*form, next);
    open_signs_.all.push_back(
        {place, index, guard, choice.change, [words = make_text()] { return words; }, form ? form->sign : 1});
  }
  const bool is_opposite = same && form->sign != open_signs_.all[number].sign;
  return is_opposite ? graph_.select(kFirstOpenSign + number, choice.negative, choice.positive)
                     : graph_.select(kFirstOpenSign + number, choice.positive, choice.negative);
}

std::vector<OpenGuard> FormulaBuilder::open_guards() const {
  std::vector<OpenGuard> guards;
  for (const OpenSign& one : open_signs_.all) guards.push_back({one.guard, one.change == Change::kink});
  return guards;
}

NodeId FormulaBuilder::on_open_side(NodeId node, std::uint32_t number, int sign) {
  return graph_.on_side(node, kFirstOpenSign + number, sign,
                        [&](NodeId id) { return graph_.has_lambda(id); });
}

// The guards of kinks in the solution, without open signs of kinks; 0 for jumps.
std::vector<NodeId> FormulaBuilder::guards_of_kinks(const std::vector<NodeId>& solved) {
  std::unordered_map<NodeId, NodeId> known;
  for (std::size_t k = 0; k < solved.size(); ++k)
    known[graph_.unknown(static_cast<std::uint32_t>(k))] = solved[k];
  std::vector<NodeId> guards;
  for (const OpenSign& open : open_signs_.all) guards.push_back(graph_.with_nodes(open.guard, known));
  const auto is_kink = [&](std::size_t number) { return open_signs_.all[number].change == Change::kink; };
  const auto count = static_cast<std::uint32_t>(guards.size());
  // Each guard then depends on later signs only.
  for (std::uint32_t number = 0; number < count; ++number) {
    if (!is_kink(number)) continue;
    guards[number] = on_open_side(guards[number], number, -1);
    for (std::uint32_t later = number + 1; later < count; ++later)
      if (is_kink(later))
        guards[later] = with_sign_of(graph_, guards[later], kFirstOpenSign + number, guards[number]);
  }
  for (std::uint32_t number = count; number-- > 0;)
    for (std::uint32_t later = count; is_kink(number) && later-- > number + 1;)
      if (is_kink(later))
        guards[number] = with_sign_of(graph_, guards[number], kFirstOpenSign + later, guards[later]);
  return guards;
}

// One of two values by what is 1 or −1.
NodeId FormulaBuilder::by_sign(NodeId sign, NodeId positive, NodeId negative) {
  const Node node = graph_[sign];
  switch (node.operation) {
    case Operation::constant: return node.value > 0 ? positive : negative;
    case Operation::lambda: return graph_.select(node.a, positive, negative);
    case Operation::negate: return by_sign(node.a, negative, positive);
    case Operation::select:
      return graph_.select(node.c, by_sign(node.a, positive, negative), by_sign(node.b, positive, negative));
    default: return graph_.choose(sign, positive, negative);
  }
}

std::vector<NodeId> FormulaBuilder::decide_open_signs(std::vector<NodeId> solved,
                                                      const std::vector<std::uint32_t>& in_slopes) {
  // A root keeps its unknown inside of it, which no sign depends on any more.
  algebraic_nodes_.is_open = false;
  const std::vector<NodeId> guards = guards_of_kinks(solved);
  std::vector<NodeId> signs(guards.size(), 0);
  for (std::uint32_t number = 0; number < open_signs_.all.size(); ++number) {
    const OpenSign open = open_signs_.all[number];
    if (open.change != Change::kink) continue;
    const NodeId one = graph_.constant(1);
    const NodeId other = graph_.constant(-1);
    signs[number] =
        choose_by_sign(open.place, open.index, guards[number], {one, one, other, Change::kink}, open.text);
    for (NodeId& value : solved) {
      const NodeId above = on_open_side(value, number, 1);
      const NodeId below = on_open_side(value, number, -1);
      if (above != below) value = bend(by_sign(signs[number], above, below), above, below);
    }
  }
  for (std::uint32_t number = 0; number < open_signs_.all.size(); ++number) {
    const OpenSign open = open_signs_.all[number];
    if (open.change != Change::jump) continue;
    decide_jump(number, open, solved, in_slopes);
  }
  keep_decided(solved, signs);
  return solved;
}

// Signs of the same guards in other equations are those of the same surfaces.
void FormulaBuilder::keep_decided(const std::vector<NodeId>& solved, const std::vector<NodeId>& signs) {
  decided_signs_ = {};
  std::unordered_map<NodeId, NodeId> known;
  for (std::size_t k = 0; k < solved.size(); ++k)
    known[graph_.unknown(static_cast<std::uint32_t>(k))] = solved[k];
  for (std::size_t number = 0; number < open_signs_.all.size(); ++number) {
    if (open_signs_.all[number].change != Change::kink) continue;
    if (!surfaces_from(graph_, signs[number], kFirstOpenSign).empty()) continue;
    const NodeId guard = graph_.with_nodes(open_signs_.all[number].guard, known);
    const std::optional<GuardForm> form = guard_form(graph_, guard, surfaces_.known());
    if (!form) continue;
    decided_signs_.by_form.add(*form, static_cast<std::uint32_t>(decided_signs_.all.size()));
    decided_signs_.all.push_back({signs[number], form->sign});
  }
}

// A node of value 1 or −1, the sign of a guard that the algebraic variables have decided.
std::optional<NodeId> FormulaBuilder::decided_sign(NodeId guard) const {
  if (decided_signs_.all.empty()) return std::nullopt;
  const std::optional<GuardForm> form = guard_form(graph_, guard, surfaces_.known());
  const std::optional<std::uint32_t> same = form ? decided_signs_.by_form.find(*form) : std::nullopt;
  if (!same) return std::nullopt;
  const DecidedSign& decided = decided_signs_.all[*same];
  return decided.sign == form->sign ? decided.node : graph_.negate(decided.node);
}

void FormulaBuilder::decide_jump(std::uint32_t number, const OpenSign& open, std::vector<NodeId>& solved,
                                 const std::vector<std::uint32_t>& in_slopes) {
  std::unordered_map<NodeId, NodeId> known;
  for (std::size_t k = 0; k < solved.size(); ++k)
    known[graph_.unknown(static_cast<std::uint32_t>(k))] = solved[k];
  const NodeId guard = graph_.with_nodes(open.guard, known);
  const NodeId above = on_open_side(guard, number, 1);
  const NodeId below = on_open_side(guard, number, -1);
  const auto refuse = [&](const std::string& what, const std::string& expected, const std::string& hint) {
    const Token& token = open.place.formula.expression.tokens[open.index];
    fail_at(open.place, {open.index, token.next}, what, expected, in_quotes(open.text()), hint);
  };
  const bool is_in_slope =
      std::find(in_slopes.begin(), in_slopes.end(), kFirstOpenSign + number) != in_slopes.end();
  const bool is_in_root = std::any_of(solved.begin(), solved.end(), [&](NodeId node) {
    const std::vector<NodeId> nodes = graph_.reachable({node});
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return graph_[id].operation == Operation::root &&
             on_open_side(id, number, 1) != on_open_side(id, number, -1);
    });
  });
  if (is_in_slope || is_in_root)
    refuse("a jump by an algebraic variable that multiplies one, or whose equation is not linear",
           "a jump that is added in a linear equation", "write the solution of every case in [definitions]");
  const NodeId gap = gap_of(graph_, guard, kFirstOpenSign + number);
  const bool is_constant = graph_.is_constant(gap);
  if (!(is_constant ? graph_.value(gap) > 0 : is_nonnegative(gap) && has_one_sign(graph_, gap)))
    refuse("a jump by an algebraic variable that leaves two solutions, or is not seen to leave one",
           "a jump against the variable, as -sgn(y) in the equation of y",
           "what remembers its side is a relay with a band, in [hysteresis]");
  for (NodeId& value : solved) {
    const NodeId one = on_open_side(value, number, 1);
    const NodeId other = on_open_side(value, number, -1);
    if (one == other) continue;
    const NodeId between =
        graph_.divide(graph_.subtract(graph_.multiply(below, one), graph_.multiply(above, other)), gap);
    const NodeId not_above = choose_by_sign(open.place, open.index, below, {between, between, other},
                                            [&] { return open.text() + " < 0"; });
    value = bend(choose_by_sign(open.place, open.index, above, {one, one, not_above},
                                [&] { return open.text() + " > 0"; }),
                 one, other);
  }
}

std::vector<NodeId> FormulaBuilder::by_guards(const std::vector<NodeId>& solved) {
  std::vector<NodeId> nodes = graph_.reachable(solved);
  std::sort(nodes.begin(), nodes.end());
  std::unordered_map<NodeId, NodeId> others;
  for (const NodeId id : nodes) {
    const Node node = graph_[id];
    if (node.operation == Operation::select)
      others[id] = graph_.choose(surfaces_.guard(node.c), graph_.with_nodes(node.a, others),
                                 graph_.with_nodes(node.b, others));
    else if (node.operation == Operation::lambda)
      others[id] = graph_.unary(Operation::sign, surfaces_.guard(node.a));
  }
  std::vector<NodeId> values;
  for (const NodeId node : solved) values.push_back(graph_.with_nodes(node, others));
  return values;
}

}  // namespace slideway::reader
