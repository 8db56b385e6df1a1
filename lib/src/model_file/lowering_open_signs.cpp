// FormulaBuilder where algebraic variables decide kinks and jumps of their own equations.
//
// The equations are solved with the sign on either side, Y⁺ and Y⁻. With G the guard, G(Y⁺) and G(Y⁻) have the same sign at a kink that
// leaves one solution, and vanish together: one of them is the guard of a surface. A jump against the variable leaves a third branch where
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
  const auto same = std::find_if(open_signs_.begin(), open_signs_.end(), [&](const OpenSign& one) {
    return one.guard == guard && one.change == choice.change;
  });
  const auto number = static_cast<std::uint32_t>(same - open_signs_.begin());
  if (same == open_signs_.end())
    open_signs_.push_back({place, index, guard, choice.change, [words = make_text()] { return words; }});
  return graph_.select(kFirstOpenSign + number, choice.positive, choice.negative);
}

NodeId FormulaBuilder::on_open_side(NodeId node, std::uint32_t number, int sign) {
  return graph_.on_side(node, kFirstOpenSign + number, sign,
                        [&](NodeId id) { return graph_.has_lambda(id); });
}

std::vector<NodeId> FormulaBuilder::decide_open_signs(std::vector<NodeId> solved,
                                                      const std::vector<std::uint32_t>& in_slopes) {
  for (std::uint32_t number = 0; number < open_signs_.size(); ++number) {
    const OpenSign open = open_signs_[number];
    std::unordered_map<NodeId, NodeId> known;
    for (std::size_t k = 0; k < solved.size(); ++k)
      known[graph_.unknown(static_cast<std::uint32_t>(k))] = solved[k];
    const NodeId guard = graph_.with_nodes(open.guard, known);
    const NodeId above = on_open_side(guard, number, 1);
    const NodeId below = on_open_side(guard, number, -1);
    const bool jumps = open.change == Change::jump;
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
    if (jumps && (is_in_slope || is_in_root))
      refuse("a jump by an algebraic variable that multiplies one, or whose equation is not linear",
             "a jump that is added in a linear equation",
             "write the solution of every case in [definitions]");
    const NodeId gap = jumps ? gap_of(graph_, guard, kFirstOpenSign + number) : graph_.constant(0);
    const bool is_constant = graph_.is_constant(gap);
    if (jumps && !(is_constant ? graph_.value(gap) > 0 : is_nonnegative(gap) && has_one_sign(graph_, gap)))
      refuse("a jump by an algebraic variable that leaves two solutions, or is not seen to leave one",
             "a jump against the variable, as -sgn(y) in the equation of y",
             "what remembers its side is a relay with a band, in [hysteresis]");
    for (NodeId& value : solved) {
      const NodeId one = on_open_side(value, number, 1);
      const NodeId other = on_open_side(value, number, -1);
      if (one == other) continue;
      if (!jumps) {
        value = bend(choose_by_sign(open.place, open.index, below, {one, one, other}, open.text), one, other);
        continue;
      }
      const NodeId between =
          graph_.divide(graph_.subtract(graph_.multiply(below, one), graph_.multiply(above, other)), gap);
      const NodeId not_above = choose_by_sign(open.place, open.index, below, {between, between, other},
                                              [&] { return open.text() + " < 0"; });
      value = bend(choose_by_sign(open.place, open.index, above, {one, one, not_above},
                                  [&] { return open.text() + " > 0"; }),
                   one, other);
    }
  }
  return solved;
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
