// FormulaBuilder where a table of [tables] is called: pieces of polynomials, parted by a surface at every knot.
//
// The piece is found by halves, so that what is not in force costs nothing: select(u − u₈; select(u − u₁₂; …), select(u − u₄; …)).

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/number_text.hpp"
#include "model_file/lowering_formula.hpp"
#include "slideway/model/table.hpp"

namespace slideway::reader {
namespace {

// "u - 3", "u + 3" and "u" of u, where the knot is 3, -3 and 0; the argument may be a sum.
std::string guard_text(const std::string& argument, double knot) {
  if (knot == 0) return argument;
  return argument + (knot < 0 ? " + " : " - ") + exact_text(std::abs(knot));
}

NodeId polynomial(ExpressionGraph& graph, NodeId u, const Table::Piece& piece) {
  int degree = 3;
  while (degree > 0 && piece.coefficients[degree] == 0) --degree;
  NodeId value = graph.constant(piece.coefficients[degree]);
  if (degree == 0) return value;
  const NodeId since = graph.subtract(u, graph.constant(piece.origin));
  for (int power = degree - 1; power >= 0; --power)
    value = graph.add(graph.constant(piece.coefficients[power]), graph.multiply(since, value));
  return value;
}

}  // namespace

NodeId FormulaBuilder::build_table(const Place& place, std::uint32_t index) {
  const Table& table = *model_.tables[place.formula.symbols[index].index].table;
  const TableData& data = table.data();
  const NodeId u = argument(place, index, 0);
  if (!table.has_two_variables()) return build_pieces(place, index, {u, 0}, table.pieces());
  const NodeId v = argument(place, index, 1);
  // The dependence on v at every knot of u, and between two of them a straight line.
  const auto at = [&, rows = std::vector<std::optional<NodeId>>(data.first.size())](std::size_t k) mutable {
    if (!rows[k]) rows[k] = build_pieces(place, index, {v, 1}, table.pieces(k));
    return *rows[k];
  };
  const std::size_t last = data.first.size() - 1;
  std::function<NodeId(std::size_t)> value = at;
  const auto between = [&](std::size_t k) {
    const NodeId below = value(k);
    if (table.jumps()) return below;
    const NodeId part = graph_.divide(graph_.subtract(u, graph_.constant(data.first[k])),
                                      graph_.constant(data.first[k + 1] - data.first[k]));
    return graph_.add(below, graph_.multiply(part, graph_.subtract(value(k + 1), below)));
  };
  const auto piece = [&](std::size_t k) {
    const bool is_below = k == 0;
    if (!is_below && k <= last) return between(k - 1);
    const NodeId end = value(is_below ? 0 : last);
    if (data.beyond == Beyond::error)
      return beyond(place, index, {u, 0}, {is_below ? data.first[0] : data.first[last], is_below, end});
    if (data.beyond == Beyond::linear && !table.jumps()) return between(is_below ? 0 : last - 1);
    return end;
  };
  return by_knots(place, index, {u, 0}, {data.first, table.jumps()}, piece);
}

NodeId FormulaBuilder::build_pieces(const Place& place, std::uint32_t index, Argument of,
                                    const Table::Pieces& pieces) {
  const bool jumps = model_.tables[place.formula.symbols[index].index].table->jumps();
  const auto piece = [&](std::size_t k) {
    const NodeId value = polynomial(graph_, of.node, pieces.pieces[k]);
    if (!pieces.is_beyond[k]) return value;
    return beyond(place, index, of, {k == 0 ? pieces.knots.front() : pieces.knots.back(), k == 0, value});
  };
  return by_knots(place, index, of, {pieces.knots, jumps}, piece);
}

// The power of what is left to the last knot is 0 at it and has no value beyond it.
NodeId FormulaBuilder::beyond(const Place& place, std::uint32_t index, Argument of,
                              const TableEnd& table_end) {
  const auto [knot, is_below, value] = table_end;
  const NodeId end = graph_.constant(knot);
  const NodeId inside = is_below ? graph_.subtract(of.node, end) : graph_.subtract(end, of.node);
  const TableDescription& table = model_.tables[place.formula.symbols[index].index];
  const Expression& expression = place.formula.expression;
  if (graph_.is_constant(inside))
    fail_at(place, argument_range(expression, index, of.number), "an argument beyond the knots of a table",
            (is_below ? "not less than " : "not more than ") + exact_text(knot),
            exact_text(graph_.value(of.node)),
            "extrapolation = \"hold\" or \"linear\" in the table " + in_quotes(table.name) +
                " says what lies beyond its knots");
  const NodeId none = graph_.binary(Operation::power, inside, graph_.constant(1.5));
  ends_of_tables_.emplace(none, "table " + in_quotes(table.name) + " has no knots " +
                                    (is_below ? "below " : "above ") + exact_text(knot) +
                                    " (extrapolation = \"hold\" or \"linear\" says what lies there)");
  return graph_.add(value, none);
}

// The piece whose knot is the last that the argument is above.
NodeId FormulaBuilder::by_knots(const Place& place, std::uint32_t index, Argument of, const Knots& knots,
                                const std::function<NodeId(std::size_t)>& piece) {
  const auto guard_name = [&](double knot) {
    return guard_text(text(place, argument_range(place.formula.expression, index, of.number)), knot);
  };
  // Surfaces have the order of the knots.
  const bool has_surfaces = !refuses_jumps(place.jumps) && place.jumps != Jumps::values &&
                            place.jumps != Jumps::observed && !graph_.is_constant(of.node) &&
                            !graph_.has_lambda(of.node) && !is_held(of.node) &&
                            !(algebraic_nodes_.is_open && has_unknown(of.node));
  for (std::size_t k = 0; has_surfaces && k < knots.at.size(); ++k)
    surface(place, index, graph_.subtract(of.node, graph_.constant(knots.at[k])),
            [&] { return guard_name(knots.at[k]); });
  const std::function<NodeId(std::size_t, std::size_t)> between = [&](std::size_t first, std::size_t last) {
    if (first == last) return piece(first);
    const std::size_t middle = first + (last - first + 1) / 2;
    const double knot = knots.at[middle - 1];
    const NodeId guard = graph_.subtract(of.node, graph_.constant(knot));
    // Only one of the pieces is in force where the argument is a number.
    if (graph_.is_constant(guard)) {
      const bool is_end = middle == knots.at.size() && graph_.value(guard) == 0;
      return graph_.value(guard) >= 0 && !is_end ? between(middle, last) : between(first, middle - 1);
    }
    const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
    if (is_value) {
      const NodeId above = between(middle, last);
      const NodeId below = between(first, middle - 1);
      // The piece above is in force at a knot itself, but for the last one.
      const NodeId node = middle == knots.at.size() ? graph_.choose(guard, above, below)
                                                    : graph_.choose(graph_.negate(guard), below, above);
      if (!knots.jump) value_kinks_.insert(node);
      return node;
    }
    const NodeId above = between(middle, last);
    const NodeId below = between(first, middle - 1);
    const NodeId node =
        choose_by_sign(place, index, guard, {above, above, below, knots.jump ? Change::other : Change::kink},
                       [&] { return guard_name(knot); });
    return knots.jump ? node : bend(node, of.node, of.node);
  };
  return between(0, knots.at.size());
}

}  // namespace slideway::reader
