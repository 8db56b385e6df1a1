// FormulaBuilder where a value steps again and again, saturates, or depends on what has been: floor() and what is made of it, sat(),
// deadzone(), hysteresis().
//
// A step is a surface, of which ⌊a⌋ = m − 1 + (1 + λ)/2 with the whole number m that a is near, a discrete state; or, where a is affine in
// t alone, a time event that counts.

#include <cmath>
#include <numbers>

#include "core/number_text.hpp"
#include "model_file/lowering_formula.hpp"
#include "model_file/lowering_memory.hpp"

namespace slideway::reader {
namespace {

// slope·t + constant
struct OfTime {
  double slope = 0;
  double constant = 0;
};

std::optional<OfTime> of_time(const ExpressionGraph& graph, NodeId node) {
  if (graph.has_lambda(node)) return std::nullopt;
  const std::optional<LinearGuard> linear = linear_guard(graph, node);
  if (!linear || linear->terms.size() != 1 || linear->terms.front().slope == 0 ||
      graph[linear->terms.front().what].operation != Operation::time)
    return std::nullopt;
  return OfTime{linear->terms.front().slope, linear->constant};
}

TokenRange call_range(const Expression& expression, std::uint32_t index) {
  return {index, expression.tokens[index].next};
}

}  // namespace

// Both of a value: as it stands, with the surfaces of its kinks, and as a number.
FormulaBuilder::Twofold FormulaBuilder::twofold_argument(const Place& place, std::uint32_t index,
                                                         std::uint32_t number) {
  const TokenRange range = argument_range(place.formula.expression, index, number);
  const NodeId node = build(place, range);
  if (place.jumps == Jumps::values || !graph_.has_lambda(node)) return {node, node};
  return {node, build({place.formula, Jumps::values, place.element, place.other}, range)};
}

template <class Make>
FormulaBuilder::Twofold FormulaBuilder::twofold(const Twofold& a, const Make& make) {
  const NodeId node = make(a.node);
  return {node, a.value == a.node ? node : make(a.value)};
}

NodeId FormulaBuilder::floor_of(const Place& place, std::uint32_t index, const Twofold& a) {
  if (graph_.is_constant(a.node) || is_held(a.node)) return graph_.unary(Operation::floor, a.node);
  const Expression& expression = place.formula.expression;
  const std::string call = in_quotes(expression.spelling(expression.tokens[index]));
  const auto call_text = [&] { return text(place, call_range(place.formula.expression, index)); };
  const bool is_observed = place.jumps == Jumps::observed;
  if (const std::optional<OfTime> time = of_time(graph_, a.node)) {
    if (place.jumps == Jumps::refused_in_gap || place.jumps == Jumps::refused_in_ratio ||
        place.jumps == Jumps::refused_in_mass)
      refuse_jump(place, index, call + ", which jumps");
    if (is_observed && !memory_.has_steps_in_time(time->slope, time->constant))
      return graph_.unary(Operation::floor, a.node);
    return memory_.steps_in_time(time->slope, time->constant, "steps of " + call_text());
  }
  if (place.jumps == Jumps::values) return graph_.unary(Operation::floor, a.node);
  if (refuses_jumps(place.jumps)) refuse_jump(place, index, call + ", which jumps");
  if (is_observed && !memory_.has_nearest(a.value)) return graph_.unary(Operation::floor, a.value);
  if (!bends_only(a.node))
    fail_at(place, call_range(place.formula.expression, index), "a discontinuity under " + call,
            "what does not jump", in_quotes(call_text()),
            "write an if(…) outside, so that each branch is continuous");
  const NodeId near = memory_.nearest(a.value, "steps of " + call_text());
  const NodeId below = graph_.subtract(near, graph_.constant(1));
  return choose_by_sign(place, index, graph_.subtract(a.node, near), {near, near, below}, call_text);
}

// a − ⌊a⌋
FormulaBuilder::Twofold FormulaBuilder::phase_of(const Place& place, std::uint32_t index, const Twofold& a) {
  const NodeId node = graph_.subtract(a.node, floor_of(place, index, a));
  return {node, node};
}

NodeId FormulaBuilder::size_of(const Place& place, std::uint32_t index, NodeId node) {
  const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
  if (is_value || graph_.is_constant(node)) return graph_.unary(Operation::absolute, node);
  return build_size(place, index, node,
                    [&] { return text(place, call_range(place.formula.expression, index)); });
}

NodeId FormulaBuilder::build_steps(const Place& place, std::uint32_t index, Function function) {
  ExpressionGraph& g = graph_;
  const Twofold a = twofold_argument(place, index, 0);
  const auto over = [&](double divisor, double shift) {
    return twofold(
        a, [&](NodeId node) { return g.add(g.divide(node, g.constant(divisor)), g.constant(shift)); });
  };
  constexpr double turn = 2 * std::numbers::pi;
  switch (function) {
    case Function::floor: return floor_of(place, index, a);
    case Function::ceil:
      return g.negate(floor_of(place, index, twofold(a, [&](NodeId node) { return g.negate(node); })));
    case Function::round: return floor_of(place, index, over(1, 0.5));
    case Function::mod: {
      const Twofold b = twofold_argument(place, index, 1);
      if (g.is_constant(b.node, 0))
        fail_at(place, argument_range(place.formula.expression, index, 1), "'mod' by zero",
                "a divisor that is not 0", "0");
      const Twofold quotient{g.divide(a.node, b.node), g.divide(a.value, b.value)};
      return g.subtract(a.node, g.multiply(b.node, floor_of(place, index, quotient)));
    }
    case Function::square: {
      const NodeId one = g.constant(1);
      if (of_time(g, a.node)) {
        const NodeId halves = floor_of(place, index, over(std::numbers::pi, 0));
        const NodeId turns = g.unary(Operation::floor, g.divide(halves, g.constant(2)));
        const NodeId odd = g.subtract(halves, g.multiply(g.constant(2), turns));
        return g.subtract(one, g.multiply(g.constant(2), odd));
      }
      const NodeId wave = g.unary(Operation::sin, a.node);
      const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
      if (is_value || g.is_constant(wave)) return g.unary(Operation::sign, wave);
      return choose_by_sign(place, index, wave, {one, g.constant(0), g.constant(-1)},
                            [&] { return text(place, call_range(place.formula.expression, index)); });
    }
    case Function::sawtooth: {
      const NodeId phase = phase_of(place, index, over(turn, 0)).node;
      return g.subtract(g.multiply(g.constant(2), phase), g.constant(1));
    }
    case Function::triangle: {
      const NodeId phase = phase_of(place, index, over(turn, 0.25)).node;
      const NodeId size = size_of(place, index, g.subtract(phase, g.constant(0.5)));
      return g.subtract(g.constant(1), g.multiply(g.constant(4), size));
    }
    default: return build_pulse(place, index, over(turn, 0));
  }
}

NodeId FormulaBuilder::build_pulse(const Place& place, std::uint32_t index, const Twofold& turns) {
  Twofold width = twofold_argument(place, index, 1);
  if (graph_.is_constant(width.node) && !(graph_.value(width.node) >= 0 && graph_.value(width.node) <= 1))
    fail_at(place, argument_range(place.formula.expression, index, 1), "the width of a pulse out of range",
            "a part of the period, from 0 to 1", exact_text(graph_.value(width.node)));
  // A width that changes is a part of the period, too: what is beyond 0 or 1 is the whole pulse, or none.
  if (!graph_.is_constant(width.node)) width = within_unit(place, index, width);
  const Twofold later{graph_.subtract(turns.node, width.node), graph_.subtract(turns.value, width.value)};
  return graph_.subtract(floor_of(place, index, turns), floor_of(place, index, later));
}

// min(max(width, 0), 1)
FormulaBuilder::Twofold FormulaBuilder::within_unit(const Place& place, std::uint32_t index,
                                                    const Twofold& width) {
  const NodeId none = graph_.constant(0);
  const NodeId whole = graph_.constant(1);
  const auto width_text = [&] { return text(place, argument_range(place.formula.expression, index, 1)); };
  const auto clamped = [&](const Place& in, NodeId node) {
    if (is_held(node)) {
      const NodeId at_most = graph_.choose(graph_.subtract(node, whole), whole, node);
      return graph_.choose(node, at_most, none);
    }
    const NodeId above = extremum(in, index, node, none, true, width_text);
    return extremum(in, index, above, whole, false, [&] { return width_text() + " - 1"; });
  };
  const Place values{place.formula, Jumps::values, place.element, place.other};
  return {clamped(place, width.node), clamped(values, width.value)};
}

// min(max(u, low), high), and for deadzone u without it.
NodeId FormulaBuilder::build_saturation(const Place& place, std::uint32_t index, bool rest) {
  const Expression& expression = place.formula.expression;
  const NodeId u = argument(place, index, 0);
  const NodeId low = argument(place, index, 1);
  const NodeId high = argument(place, index, 2);
  check_limits(place, index, low, high);
  const auto difference = [&](std::uint32_t limit) {
    return [&, limit] {
      return difference_text(place, argument_range(expression, index, 0),
                             argument_range(expression, index, limit));
    };
  };
  const NodeId above = extremum(place, index, u, low, true, difference(1));
  const NodeId within = extremum(place, index, above, high, false, difference(2));
  return rest ? graph_.subtract(u, within) : within;
}

void FormulaBuilder::check_limits(const Place& place, std::uint32_t index, NodeId low, NodeId high) {
  if (!graph_.is_constant(low) || !graph_.is_constant(high) || graph_.value(low) <= graph_.value(high))
    return;
  const Expression& expression = place.formula.expression;
  fail_at(place, argument_range(expression, index, 2), "limits in the wrong order",
          std::string(expression.spelling(expression.tokens[index])) + "(u, low, high) with low <= high",
          exact_text(graph_.value(low)) + " and " + exact_text(graph_.value(high)));
}

NodeId FormulaBuilder::build_hysteresis(const Place& place, std::uint32_t index) {
  const Twofold u = twofold_argument(place, index, 0);
  const Twofold low = twofold_argument(place, index, 1);
  const Twofold high = twofold_argument(place, index, 2);
  check_limits(place, index, low.node, high.node);
  const TokenRange call = call_range(place.formula.expression, index);
  if (place.jumps == Jumps::refused_in_gap || place.jumps == Jumps::refused_in_ratio ||
      place.jumps == Jumps::refused_in_mass)
    refuse_jump(place, index, "'hysteresis', which jumps");
  const bool jumps = !bends_only(u.node) || !bends_only(low.node) || !bends_only(high.node);
  if (jumps)
    fail_at(place, call, "a discontinuity under 'hysteresis'", "what does not jump",
            in_quotes(text(place, call)));
  // Without a band nothing is remembered: it is a relay, which is -1 where u is not above.
  if (graph_.is_constant(graph_.subtract(low.value, high.value), 0)) {
    const NodeId one = graph_.constant(1);
    const NodeId minus_one = graph_.constant(-1);
    const NodeId above = graph_.subtract(u.node, high.node);
    const bool is_value = place.jumps == Jumps::values || place.jumps == Jumps::refused_in_event;
    if (is_value) return graph_.choose(above, one, minus_one);
    return choose_by_sign(place, index, above, {one, minus_one, minus_one, Change::jump}, [&] {
      const Expression& expression = place.formula.expression;
      return difference_text(place, argument_range(expression, index, 0),
                             argument_range(expression, index, 2));
    });
  }
  if (graph_.is_constant(u.value) && graph_.is_constant(high.value))
    return graph_.constant(graph_.value(u.value) > graph_.value(high.value) ? 1 : -1);
  if (place.jumps == Jumps::observed && !memory_.has_side_of(u.value, low.value, high.value))
    fail_at(place, call, "'hysteresis' that no equation has", "one that the equations of the model have, too",
            in_quotes(text(place, call)), "define it in the model file, and observe that name");
  return memory_.side_of(u.value, low.value, high.value, text(place, call));
}

}  // namespace slideway::reader
