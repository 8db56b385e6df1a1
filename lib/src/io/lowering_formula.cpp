#include "io/lowering_formula.hpp"

#include <cmath>
#include <numbers>

namespace slideway::reader {
namespace {

// Calls, indices and definitions inside each other, all together.
constexpr int deepest_recursion = 1000;

// A guard with kinks is told on all sides of as many surfaces.
constexpr int most_sides = 6;

constexpr NodeId not_built = 0xFFFFFFFFU;
constexpr NodeId unbuildable = 0xFFFFFFFEU;

const char* kink_or_jump(Function function) {
  return function == Function::abs || function == Function::min || function == Function::max ? "has a kink"
                                                                                             : "jumps";
}

TokenRange token_range(const Formula& formula, std::uint32_t token) {
  return {token, formula.expression.tokens[token].next};
}

bool refuses_jumps(Jumps jumps) {
  return jumps == Jumps::refused_in_guard || jumps == Jumps::refused_in_event ||
         jumps == Jumps::refused_in_force || jumps == Jumps::refused_in_ratio;
}

Operation smooth_operation(Function function) {
  switch (function) {
    case Function::sin:
      return Operation::sin;
    case Function::cos:
      return Operation::cos;
    case Function::tan:
      return Operation::tan;
    case Function::asin:
      return Operation::asin;
    case Function::acos:
      return Operation::acos;
    case Function::atan:
      return Operation::atan;
    case Function::sinh:
      return Operation::sinh;
    case Function::cosh:
      return Operation::cosh;
    case Function::tanh:
      return Operation::tanh;
    case Function::exp:
      return Operation::exp;
    case Function::log:
      return Operation::log;
    default:
      return Operation::sqrt;
  }
}

Operation binary_operation(TokenKind kind) {
  switch (kind) {
    case TokenKind::add:
      return Operation::add;
    case TokenKind::subtract:
      return Operation::subtract;
    case TokenKind::multiply:
      return Operation::multiply;
    case TokenKind::divide:
      return Operation::divide;
    default:
      return Operation::power;
  }
}

}  // namespace

FormulaBuilder::FormulaBuilder(const ModelDescription& model, const Extents& extents, ExpressionGraph& graph,
                               SurfaceTable& surfaces, Mistakes& mistakes)
    : model_(model), extents_(extents), graph_(graph), surfaces_(surfaces), mistakes_(mistakes) {}

void FormulaBuilder::prepare_definitions() {
  const auto fresh = [](const std::vector<std::uint32_t>& lengths) {
    Built built;
    for (const std::uint32_t count : lengths) built.emplace_back(count, not_built);
    return built;
  };
  definition_nodes_ = fresh(extents_.definitions);
  definition_values_ = fresh(extents_.definitions);
  guard_nodes_ = fresh(extents_.surfaces);
}

NodeId FormulaBuilder::build(const Formula& formula, Jumps jumps, std::uint32_t element) {
  start();
  return build(Place{formula, jumps, element});
}

NodeId FormulaBuilder::definition(std::uint32_t index, std::uint32_t element) {
  start();
  return named_value(model_.definitions[index], definition_nodes_, index, element, Jumps::surfaces);
}

NodeId FormulaBuilder::guard(std::uint32_t index, std::uint32_t element) {
  start();
  return named_value(model_.surfaces[index], guard_nodes_, index, element, Jumps::refused_in_guard);
}

std::optional<SurfaceSide> FormulaBuilder::surface_of_definition(std::uint32_t index, std::uint32_t element) {
  const NodeId node = definition(index, element);
  if (graph_.is_constant(node)) return std::nullopt;
  const Quantity& quantity = model_.definitions[index];
  const Formula& formula = quantity.value;
  const Place place{formula, Jumps::surfaces, quantity.is_vector() ? element : 0};
  const TokenRange whole{0, static_cast<std::uint32_t>(formula.expression.tokens.size())};
  if (graph_.has_lambda(node))
    fail_at(place, whole, "a discontinuity in a velocity",
            "a smooth expression, because its own sign is what jumps", quoted(text(place, whole)));
  return surfaces_.find_or_add(node, {formula.position, 0, place.element},
                               [&] { return text(place, whole); });
}

// ---- mistakes ---------------------------------------------------------------------------------------

void FormulaBuilder::fail_at(const Place& place, TokenRange range, std::string what, std::string expected,
                             std::string got, std::string hint) {
  const auto [begin, end] = text_range(place.formula.expression, range);
  Mistake mistake;
  mistake.where = place_of(model_.source, place.formula, begin);
  mistake.length = place.formula.is_string ? end - begin : 1;
  mistake.what = std::move(what) + " in " + place.formula.owner;
  if (place.element > 0) mistake.what += " (i = " + std::to_string(place.element) + ")";
  mistake.expected = std::move(expected);
  mistake.got = std::move(got);
  mistake.hint = std::move(hint);
  mistakes_.push_back(std::move(mistake));
  throw Unbuildable{};
}

void FormulaBuilder::refuse_jump(const Place& place, std::uint32_t index, const std::string& got) {
  if (place.jumps == Jumps::refused_in_force)
    fail_at(place, token_range(place.formula, index), "a discontinuity",
            "a smooth expression, because the impulse of an impact follows it", got);
  if (place.jumps == Jumps::refused_in_ratio)
    fail_at(place, token_range(place.formula, index), "a discontinuity in a break-away ratio",
            "a smooth expression, because it is used at rest, where a sign has no value", got);
  const std::string what = "a discontinuity inside a guard";
  if (place.jumps == Jumps::refused_in_event)
    fail_at(place, token_range(place.formula, index), what, "a guard that is smooth", got,
            "an event that counts only under a condition is the [[edges]] of one of two [[locations]]; "
            "write a^2 - b^2 for abs(a) - b, and a table each for the parts of a min or max");
  fail_at(place, token_range(place.formula, index), what,
          "a guard that is smooth, because its own sign is what jumps", got,
          "turn it into an if(…) outside, so that each branch has a smooth guard");
}

// ---- operators --------------------------------------------------------------------------------------

// An expression that could not be built leaves things behind.
void FormulaBuilder::start() {
  stack_.clear();
  depth_ = 0;
}

NodeId FormulaBuilder::build(const Place& place) {
  return build(place, {0, static_cast<std::uint32_t>(place.formula.expression.tokens.size())});
}

NodeId FormulaBuilder::build(const Place& place, TokenRange range) {
  if (++depth_ > deepest_recursion)
    fail_at(place, {range.begin, range.begin + 1}, "definitions and brackets too deep inside each other",
            "at most " + std::to_string(deepest_recursion) + " levels in all", "more");
  const Expression& expression = place.formula.expression;
  const std::size_t bottom = stack_.size();
  for (std::uint32_t index = range.begin; index < range.end; index = expression.tokens[index].next) {
    const Token& token = expression.tokens[index];
    switch (token.kind) {
      case TokenKind::number:
        push(graph_.constant(token.value), index);
        break;
      case TokenKind::name:
      case TokenKind::element:
        push_name(place, index);
        break;
      case TokenKind::call:
        push(build_call(place, index), index);
        break;
      case TokenKind::negate:
        stack_.back().node = graph_.negate(stack_.back().node);
        break;
      default:
        build_operator(place, index);
    }
  }
  --depth_;
  const NodeId result = stack_.back().node;
  stack_.resize(bottom);
  return result;
}

NodeId FormulaBuilder::argument(const Place& place, std::uint32_t index, std::uint32_t number) {
  return build(place, argument_range(place.formula.expression, index, number));
}

void FormulaBuilder::build_operator(const Place& place, std::uint32_t index) {
  const Operand right = stack_.back();
  stack_.pop_back();
  const Operand left = stack_.back();
  const Operation operation = binary_operation(place.formula.expression.tokens[index].kind);
  if (operation == Operation::divide && graph_.is_constant(right.node, 0)) {
    const TokenRange divisor{right.begin, index};
    const std::string divided = shortened(print_expression(place.formula.expression, divisor));
    fail_at(place, divisor, "division by zero", "a divisor that is not 0",
            divided == "0" ? divided : divided + " = 0");
  }
  stack_.back().node =
      checked(place, {left.begin, index + 1}, graph_.binary(operation, left.node, right.node));
}

// What is folded to a number must be one.
NodeId FormulaBuilder::checked(const Place& place, TokenRange range, NodeId node) {
  if (graph_.is_constant(node) && !std::isfinite(graph_.value(node)))
    fail_at(place, range, "a value that is not finite", "a finite number",
            shortened(print_expression(place.formula.expression, range)) + " = " +
                number_text(graph_.value(node)));
  return node;
}

// ---- names ------------------------------------------------------------------------------------------

void FormulaBuilder::push_name(const Place& place, std::uint32_t index) {
  const Symbol symbol = place.formula.symbols[index];
  const Token& token = place.formula.expression.tokens[index];
  std::uint32_t element = symbol.element;
  if (token.kind == TokenKind::element) {
    const std::optional<std::uint32_t> wanted = element_at(place, index);
    if (!wanted) return push(graph_.constant(0), index);
    element = *wanted;
  } else if (element > length(symbol)) {
    fail_at(place, token_range(place.formula, index), "an element that does not exist",
            "at most " + std::to_string(length(symbol)) + " elements",
            quoted(place.formula.expression.spelling(token)));
  }
  const NodeId node = value_of(symbol, element == 0 ? 1 : element, place);
  if (refuses_jumps(place.jumps) && graph_.has_lambda(node))
    refuse_jump(place, index, quoted(place.formula.expression.spelling(token)) + ", which has one");
  push(node, index);
}

std::uint32_t FormulaBuilder::length(Symbol symbol) const {
  switch (symbol.kind) {
    case SymbolKind::state:
      return extents_.states[symbol.index];
    case SymbolKind::definition:
      return extents_.definitions[symbol.index];
    case SymbolKind::surface:
      return extents_.surfaces[symbol.index];
    default:
      return 1;
  }
}

NodeId FormulaBuilder::value_of(Symbol symbol, std::uint32_t element, const Place& place) {
  switch (symbol.kind) {
    case SymbolKind::parameter:
      return extents_.parameters[symbol.index];
    case SymbolKind::state:
      return graph_.state(extents_.first_state[symbol.index] + element - 1);
    case SymbolKind::index:
      return graph_.constant(place.element);
    case SymbolKind::time:
      return graph_.time();
    case SymbolKind::pi:
      return graph_.constant(std::numbers::pi);
    case SymbolKind::impact:
      return graph_.impact();
    case SymbolKind::definition: {
      const bool values = place.jumps == Jumps::values;
      return named_value(model_.definitions[symbol.index], values ? definition_values_ : definition_nodes_,
                         symbol.index, element, values ? Jumps::values : Jumps::surfaces);
    }
    default:
      return named_value(model_.surfaces[symbol.index], guard_nodes_, symbol.index, element,
                         Jumps::refused_in_guard);
  }
}

// A definition or a guard is built where it is first used, so that what no branch in force uses costs nothing.
NodeId FormulaBuilder::named_value(const Quantity& quantity, Built& built, std::uint32_t index,
                                   std::uint32_t element, Jumps jumps) {
  NodeId& place = built[index][element - 1];
  if (place == unbuildable) throw Unbuildable{};
  if (place == not_built) {
    place = unbuildable;  // in case it fails
    place = build(Place{quantity.value, jumps, quantity.is_vector() ? element : 0});
  }
  return place;
}

// The element that x[index] means, from 1; nothing where it is the 0 beyond the ends.
std::optional<std::uint32_t> FormulaBuilder::element_at(const Place& place, std::uint32_t index) {
  const Symbol symbol = place.formula.symbols[index];
  const TokenRange range = argument_range(place.formula.expression, index, 0);
  const NodeId node = build({place.formula, Jumps::values, place.element}, range);
  const bool constant = graph_.is_constant(node);
  const double wanted = constant ? graph_.value(node) : 0;
  if (!constant || wanted != std::floor(wanted) || std::abs(wanted) > 1e9)
    fail_at(place, range, "an index that is no integer", "an integer expression of i, numbers and parameters",
            constant ? number_text(wanted) : quoted(print_expression(place.formula.expression, range)));
  const auto count = static_cast<long long>(length(symbol));
  const auto number = static_cast<long long>(wanted);
  if (number >= 1 && number <= count) return static_cast<std::uint32_t>(number);
  switch (place.formula.ends != Ends::none ? place.formula.ends : ends_of(symbol)) {
    case Ends::zero:
      return std::nullopt;
    case Ends::periodic:
      return static_cast<std::uint32_t>(((number - 1) % count + count) % count + 1);
    case Ends::clamped:
      return static_cast<std::uint32_t>(number < 1 ? 1 : count);
    default:
      fail_at(place, token_range(place.formula, index), "an index out of range",
              "an index from 1 to " + std::to_string(count), std::to_string(number),
              "ends = \"zero\", \"periodic\" or \"clamped\" beside the value says what lies beyond the ends");
  }
}

Ends FormulaBuilder::ends_of(Symbol symbol) const {
  switch (symbol.kind) {
    case SymbolKind::state:
      return model_.states[symbol.index].ends;
    case SymbolKind::definition:
      return model_.definitions[symbol.index].ends;
    default:
      return model_.surfaces[symbol.index].ends;
  }
}

// ---- functions --------------------------------------------------------------------------------------

NodeId FormulaBuilder::build_call(const Place& place, std::uint32_t index) {
  const Function function = functions()[place.formula.symbols[index].index].function;
  switch (function) {
    case Function::if_:
      return build_if(place, index);
    case Function::sgn:
    case Function::step:
    case Function::abs:
      return build_sign(place, index, function);
    case Function::min:
    case Function::max:
      return build_extremum(place, index, function == Function::max);
    case Function::atan2:
    case Function::pow: {
      const Operation operation = function == Function::pow ? Operation::power : Operation::atan2;
      const NodeId first = argument(place, index, 0);
      const NodeId node = graph_.binary(operation, first, argument(place, index, 1));
      return checked(place, token_range(place.formula, index), node);
    }
    default: {
      const NodeId node = graph_.unary(smooth_operation(function), argument(place, index, 0));
      return checked(place, token_range(place.formula, index), node);
    }
  }
}

NodeId FormulaBuilder::build_sign(const Place& place, std::uint32_t index, Function function) {
  const NodeId operand = argument(place, index, 0);
  const Operation operation = function == Function::sgn    ? Operation::sign
                              : function == Function::step ? Operation::step
                                                           : Operation::absolute;
  if (place.jumps == Jumps::values || graph_.is_constant(operand)) return graph_.unary(operation, operand);
  const TokenRange range = argument_range(place.formula.expression, index, 0);
  const bool absolute = function == Function::abs;
  const NodeId one = graph_.constant(1);
  const NodeId none = graph_.constant(0);
  const Choice choice = absolute && graph_.has_lambda(operand)
                            ? Choice{operand, operand, graph_.negate(operand)}
                        : function == Function::step ? Choice{one, none, none}
                                                     : Choice{one, none, graph_.negate(one)};
  const NodeId node = choose_by_sign(place, index, operand, choice, [&] { return text(place, range); });
  if (!absolute) return node;
  return bend(graph_.has_lambda(operand) ? node : graph_.multiply(node, operand), operand, operand);
}

// The first node on the side where the guard that was asked for is positive.
NodeId FormulaBuilder::select(SurfaceSide side, NodeId positive, NodeId negative) {
  return side.sign > 0 ? graph_.select(side.surface, positive, negative)
                       : graph_.select(side.surface, negative, positive);
}

NodeId FormulaBuilder::build_extremum(const Place& place, std::uint32_t index, bool largest) {
  const NodeId a = argument(place, index, 0);
  const NodeId b = argument(place, index, 1);
  const NodeId difference = graph_.subtract(a, b);
  const NodeId above = largest ? a : b;
  const NodeId below = largest ? b : a;
  if (place.jumps == Jumps::values || graph_.is_constant(difference))
    return graph_.choose(difference, above, below);
  const NodeId node = choose_by_sign(place, index, difference, {above, above, below}, [&] {
    const Expression& expression = place.formula.expression;
    return difference_text(place, argument_range(expression, index, 0), argument_range(expression, index, 1));
  });
  return bend(node, a, b);
}

NodeId FormulaBuilder::build_if(const Place& place, std::uint32_t index) {
  const Expression& expression = place.formula.expression;
  const TokenRange condition = argument_range(expression, index, 0);
  const std::pair<TokenRange, TokenRange> sides = operand_ranges(expression, condition);
  const TokenKind comparison = expression.tokens[condition.end - 1].kind;
  const bool less = comparison == TokenKind::less || comparison == TokenKind::less_equal;
  const NodeId a = build(place, sides.first);
  const NodeId difference = graph_.subtract(a, build(place, sides.second));
  if (graph_.is_constant(difference)) {
    const double value = graph_.value(difference);
    return argument(place, index, (less ? value < 0 : value > 0) ? 1 : 2);
  }
  if (place.jumps == Jumps::values) {
    const NodeId chosen = argument(place, index, 1);
    return graph_.choose(less ? graph_.negate(difference) : difference, chosen, argument(place, index, 2));
  }
  const NodeId chosen = argument(place, index, 1);
  const NodeId other = argument(place, index, 2);
  const Choice choice = less ? Choice{other, other, chosen} : Choice{chosen, other, other};
  return choose_by_sign(place, index, difference, choice,
                        [&] { return difference_text(place, sides.first, sides.second); });
}

// ---- surfaces ---------------------------------------------------------------------------------------

SurfaceSide FormulaBuilder::surface(const Place& place, std::uint32_t index, NodeId guard,
                                    const Text& make_text) {
  const Token& token = place.formula.expression.tokens[index];
  const std::string name = quoted(place.formula.expression.spelling(token));
  if (refuses_jumps(place.jumps)) {
    const Function function = functions()[place.formula.symbols[index].index].function;
    refuse_jump(place, index, name + ", which " + kink_or_jump(function));
  }
  if (graph_.has_lambda(guard)) refuse_jump(place, index, quoted(make_text()) + " under " + name);
  return surfaces_.find_or_add(guard, {place.formula.position, token.begin, place.element}, make_text);
}

// Where a guard has kinks, its sign is found on each side of every kink, with a smooth guard there.
NodeId FormulaBuilder::choose_by_sign(const Place& place, std::uint32_t index, NodeId guard,
                                      const Choice& choice, const Text& make_text, int sides_known) {
  if (graph_.is_constant(guard)) {
    const double value = graph_.value(guard);
    return value > 0 ? choice.positive : value < 0 ? choice.negative : choice.zero;
  }
  const bool splits = !refuses_jumps(place.jumps) && sides_known < most_sides && graph_.has_lambda(guard);
  if (!splits || (sides_known == 0 && !bends_only(guard))) {
    const SurfaceSide side = surface(place, index, guard, make_text);
    return select(side, choice.positive, choice.negative);
  }
  const std::uint32_t kink = surface_in(guard);
  const auto on = [&](int sign) {
    const NodeId there = graph_.on_side(guard, kink, sign, [&](NodeId id) { return graph_.has_lambda(id); });
    return choose_by_sign(place, index, there, choice, make_text, sides_known + 1);
  };
  const NodeId above = on(1);
  return graph_.select(kink, above, on(-1));
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
    const int operands = operand_count(node.operation);
    if (operands > 0) open.push_back(node.a);
    if (operands > 1) open.push_back(node.b);
    if (operands > 2) open.push_back(node.c);
  }
  return true;
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

// A range of tokens as text, with the elements of vectors by their names.
std::string FormulaBuilder::text(const Place& place, TokenRange range) {
  const Expression& expression = place.formula.expression;
  return print_expression(expression, range, [&](std::uint32_t token) -> std::string {
    const Symbol symbol = place.formula.symbols[token];
    if (symbol.kind == SymbolKind::index) return std::to_string(place.element);
    if (expression.tokens[token].kind != TokenKind::element) return "";
    const std::optional<std::uint32_t> element = element_at(place, token);
    return element ? std::string(expression.spelling(expression.tokens[token])) + std::to_string(*element)
                   : "0";
  });
}

// a − b, and a alone when b is 0.
std::string FormulaBuilder::difference_text(const Place& place, TokenRange first, TokenRange second) {
  const std::string a = text(place, first);
  const std::string b = text(place, second);
  if (b == "0" || b == "0.0") return a;
  const TokenKind last = place.formula.expression.tokens[root_token(place.formula.expression, second)].kind;
  const bool brackets = last == TokenKind::add || last == TokenKind::subtract || last == TokenKind::negate;
  const bool from_zero = a == "0" || a == "0.0";
  return (from_zero ? "-" : a + " - ") + (brackets ? "(" + b + ")" : b);
}

}  // namespace slideway::reader
