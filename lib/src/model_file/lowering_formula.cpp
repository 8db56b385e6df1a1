#include "model_file/lowering_formula.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/number_text.hpp"

namespace slideway::reader {
namespace {

// Calls, indices and definitions may be this deep inside each other, all together.
constexpr int deepest_recursion = 1000;

constexpr NodeId not_built = 0xFFFFFFFFU;
constexpr NodeId unbuildable = 0xFFFFFFFEU;
constexpr NodeId in_building = 0xFFFFFFFDU;

TokenRange token_range(const Formula& formula, std::uint32_t token) {
  return {token, formula.expression.tokens[token].next};
}

Operation binary_operation(TokenKind kind) {
  switch (kind) {
    case TokenKind::add: return Operation::add;
    case TokenKind::subtract: return Operation::subtract;
    case TokenKind::multiply: return Operation::multiply;
    case TokenKind::divide: return Operation::divide;
    default: return Operation::power;
  }
}

// The factors of a product that a sign or a divisor does not hide.
template <class Visit>
void for_factors(const ExpressionGraph& graph, NodeId id, const Visit& visit, int depth = 8) {
  const Node node = graph[id];
  if (depth == 0) return visit(id);
  switch (node.operation) {
    case Operation::multiply: for_factors(graph, node.b, visit, depth - 1); [[fallthrough]];
    case Operation::negate:
    case Operation::divide: return for_factors(graph, node.a, visit, depth - 1);
    default: return visit(id);
  }
}

// The product with one of its factors replaced, once.
std::optional<NodeId> with_factor(ExpressionGraph& graph, NodeId id, NodeId factor, NodeId by,
                                  int depth = 8) {
  if (id == factor) return by;
  const Node node = graph[id];
  const bool goes_on = node.operation == Operation::multiply || node.operation == Operation::negate ||
                       node.operation == Operation::divide;
  if (depth == 0 || !goes_on) return std::nullopt;
  if (const auto a = with_factor(graph, node.a, factor, by, depth - 1))
    return node.operation == Operation::negate ? graph.negate(*a) : graph.binary(node.operation, *a, node.b);
  if (node.operation != Operation::multiply) return std::nullopt;
  const auto b = with_factor(graph, node.b, factor, by, depth - 1);
  return b ? std::optional(graph.multiply(node.a, *b)) : std::nullopt;
}

}  // namespace

bool refuses_jumps(Jumps jumps) {
  return jumps != Jumps::surfaces && jumps != Jumps::values && jumps != Jumps::observed;
}

FormulaBuilder::FormulaBuilder(const ModelDescription& model, const Extents& extents, ExpressionGraph& graph,
                               SurfaceTable& surfaces, MemoryTable& memory, Mistakes& mistakes)
    : model_(model),
      extents_(extents),
      graph_(graph),
      surfaces_(surfaces),
      memory_(memory),
      mistakes_(mistakes) {}

void FormulaBuilder::prepare_definitions() {
  const auto fresh = [](const std::vector<std::uint32_t>& lengths) {
    Built built;
    for (const std::uint32_t count : lengths) built.emplace_back(count, not_built);
    return built;
  };
  definition_nodes_ = fresh(extents_.definitions);
  definition_values_ = fresh(extents_.definitions);
  definition_observed_ = fresh(extents_.definitions);
  guard_nodes_ = fresh(extents_.surfaces);
}

// ---- algebraic variables ----------------------------------------------------------------------------

void FormulaBuilder::open_algebraic() {
  algebraic_nodes_.is_open = true;
  open_signs_ = {};
  decided_signs_ = {};
}

void FormulaBuilder::close_algebraic(std::vector<NodeId> solved, std::vector<NodeId> values) {
  algebraic_nodes_.is_open = false;
  algebraic_nodes_.solved = std::move(solved);
  algebraic_nodes_.values = std::move(values);
  // All that has been built is made of unknowns.
  prepare_definitions();
}

NodeId FormulaBuilder::algebraic_value(std::uint32_t number, Jumps jumps) {
  if (algebraic_nodes_.is_open) return graph_.unknown(number);
  const std::vector<NodeId>& nodes =
      jumps == Jumps::values ? algebraic_nodes_.values : algebraic_nodes_.solved;
  if (number >= nodes.size()) throw Unbuildable{};
  return nodes[number];
}

bool FormulaBuilder::has_unknown(NodeId root) const {
  const std::vector<NodeId> nodes = graph_.reachable({root});
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeId id) { return graph_[id].operation == Operation::unknown; });
}

// The guard of a jump or kink in an equation must not be made of its variable.
void FormulaBuilder::refuse_unknown(const Place& place, std::uint32_t index, NodeId guard) {
  if (!algebraic_nodes_.is_open || !has_unknown(guard)) return;
  const Expression& expression = place.formula.expression;
  fail_at(place, token_range(place.formula, index), "a jump or kink by an algebraic variable",
          "one by states and t, in the equations of [algebraic]",
          in_quotes(text(place, token_range(place.formula, index))),
          "what the variable itself decides is a case each: write the solution of every case in "
          "[definitions], as max(0, (u - u0)/R) for a diode with a resistor, or smooth the law; '" +
              std::string(expression.spelling(expression.tokens[index])) +
              "' may stand in all other equations");
}

void FormulaBuilder::refuse_memory_of_unknowns(const Place& place, std::uint32_t index) {
  if (!algebraic_nodes_.is_open) return;
  for (std::uint32_t k = 0; k < place.formula.expression.tokens[index].arguments; ++k)
    refuse_unknown(place, index, argument(place, index, k));
}

NodeId FormulaBuilder::build(const Formula& formula, Jumps jumps, std::uint32_t element,
                             std::uint32_t other) {
  start();
  return build(Place{formula, jumps, element, other});
}

NodeId FormulaBuilder::observed_element(const Formula& formula, std::uint32_t element) {
  start();
  return value_of(formula.symbols.front(), element, {formula, Jumps::observed, 0});
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
            "a smooth expression, because its own sign is what jumps", in_quotes(text(place, whole)));
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
  mistake.what = std::move(what) + (place.formula.owner.empty() ? "" : " in " + place.formula.owner);
  if (place.element > 0) {
    mistake.what += " (i = " + std::to_string(place.element) +
                    (place.other > 0 ? ", j = " + std::to_string(place.other) : "") + ")";
  }
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
  if (place.jumps == Jumps::refused_in_mass)
    fail_at(place, token_range(place.formula, index), "a discontinuity or a kink", "a smooth expression", got,
            "what jumps belongs on the right sides, in [derivatives]");
  const std::string what = "a discontinuity inside a guard";
  if (place.jumps == Jumps::refused_in_event)
    fail_at(
        place, token_range(place.formula, index), what, "a guard that does not jump", got,
        "write a condition, as a > b and c > d, which may compare discrete states, too; abs, min and max may "
        "stand in it, and what floor or mod of x would count is a discrete state n, which a reset with when "
        "= "
        "\"x - n - 1\" sets to n + 1");
  if (place.jumps == Jumps::refused_in_gap)
    fail_at(place, token_range(place.formula, index), what, "a gap that is smooth", got,
            "write a contact each for the parts of a min");
  // A name stands for one surface; a sign in the equations has one for every side that its guard has.
  fail_at(
      place, token_range(place.formula, index), what,
      "a guard that is smooth, because its own sign is what jumps", got,
      place.jumps == Jumps::refused_in_guard
          ? "move it to [definitions]: a sign of what is defined there has a surface for each of its sides"
          : "turn it into an if(…) outside, so that each branch has a smooth guard");
}

// ---- operators --------------------------------------------------------------------------------------

// An expression that could not be built leaves things behind.
void FormulaBuilder::start() {
  stack_.clear();
  depth_ = 0;
  sides_.clear();
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
      case TokenKind::number: push(graph_.constant(token.value), index); break;
      case TokenKind::name:
      case TokenKind::element: push_name(place, index); break;
      case TokenKind::call: push(build_call(place, index), index); break;
      case TokenKind::negate: stack_.back().node = graph_.negate(stack_.back().node); break;
      default: build_operator(place, index);
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
  stack_.back().node = checked(place, {left.begin, index + 1}, binary(operation, left.node, right.node));
}

// A power that is not even is followed a little beyond the kink of its base, where max(d, 0)^1.5 is |d|^1.5. Both
// have the same slope there for a power above one, and a step that ends a hair beyond is no mistake of the model.
// |d|³ in a guard is thus one guard, as |d|² is, and not one for each side.
NodeId FormulaBuilder::binary(Operation operation, NodeId a, NodeId b) {
  if (operation == Operation::multiply)
    for (const auto& [with_root, with_base] : {std::pair{a, b}, std::pair{b, a}})
      if (const auto product = product_without_root(with_root, with_base)) return bend(*product, a, b);
  const bool goes_on = operation == Operation::power && graph_.is_constant(b) && graph_.value(b) > 1 &&
                       !graph_.is_even(b) && graph_.has_lambda(a) && is_nonnegative(a);
  return graph_.binary(operation, goes_on ? graph_.unary(Operation::absolute, a) : a, b);
}

// x·|x|^p with p between 0 and 1 is sgn(x)·|x|^(p + 1): it has a slope where x is zero, of which the rule for products
// makes 0·∞.
std::optional<NodeId> FormulaBuilder::product_without_root(NodeId with_root, NodeId with_base) {
  std::optional<NodeId> product;
  for_factors(graph_, with_root, [&](NodeId root) {
    const Node node = graph_[root];
    const bool is_sqrt = node.operation == Operation::sqrt;
    const bool is_power = node.operation == Operation::power && graph_.is_constant(node.b);
    if (product || !(is_sqrt || is_power) || nonnegative_.count(node.a) == 0) return;
    const double exponent = is_sqrt ? 0.5 : graph_.value(node.b);
    const Node size = graph_[node.a];
    if (!(exponent > 0 && exponent < 1) || size.operation != Operation::multiply) return;
    for (const auto& [sign, base] : {std::pair{size.a, size.b}, std::pair{size.b, size.a}}) {
      if (!graph_.has_lambda(sign) || graph_.has_lambda(base)) continue;
      const auto rest = with_factor(graph_, with_base, base, sign);
      if (!rest) continue;
      const NodeId power = binary(Operation::power, node.a, graph_.constant(exponent + 1));
      product = graph_.multiply(*with_factor(graph_, with_root, root, power), *rest);
      return;
    }
  });
  return product;
}

// A formula that is folded to a number must give a finite one.
NodeId FormulaBuilder::checked(const Place& place, TokenRange range, NodeId node) {
  if (graph_.is_constant(node) && !std::isfinite(graph_.value(node)))
    fail_at(place, range, "a value that is not finite", "a finite number",
            shortened(print_expression(place.formula.expression, range)) + " = " +
                exact_text(graph_.value(node)));
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
            in_quotes(place.formula.expression.spelling(token)));
  }
  push(named_element(place, index, element == 0 ? 1 : element), index);
}

// The value of an element (1 for a scalar) of what the token names.
NodeId FormulaBuilder::named_element(const Place& place, std::uint32_t index, std::uint32_t element) {
  const Symbol symbol = place.formula.symbols[index];
  const bool is_value = place.jumps == Jumps::refused_in_event && symbol.kind == SymbolKind::definition;
  const NodeId node =
      is_value ? value_of(symbol, element, {place.formula, Jumps::values, place.element, place.other})
               : value_of(symbol, element, place);
  const bool jumps = is_value ? counts_steps(node) : refuses_jumps(place.jumps) && graph_.has_lambda(node);
  if (jumps) {
    const Expression& expression = place.formula.expression;
    refuse_jump(place, index, in_quotes(expression.spelling(expression.tokens[index])) + ", which has one");
  }
  return node;
}

// The steps of floor() of what moves are no sign of a guard.
bool FormulaBuilder::counts_steps(NodeId root) const {
  const std::vector<NodeId> nodes = graph_.reachable({root});
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
    return graph_[id].operation == Operation::floor && !is_held(graph_[id].a);
  });
}

std::uint32_t FormulaBuilder::length(Symbol symbol) const {
  switch (symbol.kind) {
    case SymbolKind::state: return extents_.states[symbol.index];
    case SymbolKind::definition: return extents_.definitions[symbol.index];
    case SymbolKind::surface: return extents_.surfaces[symbol.index];
    case SymbolKind::contact:
    case SymbolKind::friction:
    case SymbolKind::second_friction:
      return static_cast<std::uint32_t>(first_contact_[symbol.index + 1] - first_contact_[symbol.index]);
    default: return 1;
  }
}

NodeId FormulaBuilder::value_of(Symbol symbol, std::uint32_t element, const Place& place) {
  switch (symbol.kind) {
    case SymbolKind::parameter: return extents_.parameters[symbol.index];
    case SymbolKind::state:
      if (builds_initial_) return initial_element(symbol.index, element, place);
      return graph_.state(extents_.first_state[symbol.index] + element - 1);
    case SymbolKind::index: return graph_.constant(place.element);
    case SymbolKind::element: return graph_.constant(place.other);
    case SymbolKind::time: return graph_.time();
    case SymbolKind::pi: return graph_.constant(std::numbers::pi);
    case SymbolKind::impact: return graph_.impact();
    case SymbolKind::contact:
    case SymbolKind::friction:
    case SymbolKind::second_friction: return force_of(symbol);
    case SymbolKind::definition: {
      const Quantity& definition = model_.definitions[symbol.index];
      if (definition.algebraic)
        return algebraic_value(extents_.first_unknown[symbol.index] + element - 1, place.jumps);
      if (place.jumps == Jumps::values)
        return named_value(definition, definition_values_, symbol.index, element, Jumps::values);
      // A definition that the equations use has surfaces of its own.
      const NodeId used = definition_nodes_[symbol.index][element - 1];
      if (place.jumps == Jumps::observed && (used == not_built || used == unbuildable))
        return named_value(definition, definition_observed_, symbol.index, element, Jumps::observed);
      return named_value(definition, definition_nodes_, symbol.index, element, Jumps::surfaces);
    }
    default:
      return named_value(model_.surfaces[symbol.index], guard_nodes_, symbol.index, element,
                         Jumps::refused_in_guard);
  }
}

NodeId FormulaBuilder::force_of(Symbol symbol) const {
  const std::size_t own = first_contact_[symbol.index] + (symbol.element > 0 ? symbol.element - 1 : 0);
  const std::size_t tables = symbol.kind == SymbolKind::contact    ? 0
                             : symbol.kind == SymbolKind::friction ? 1
                                                                   : 2;
  const std::size_t before = tables * first_contact_.back();
  return graph_.state(first_force_ + static_cast<std::uint32_t>(before + own));
}

NodeId FormulaBuilder::initial_value(std::uint32_t state, std::uint32_t element) {
  start();
  builds_initial_ = true;
  const Formula& formula = model_.states[state].value;
  try {
    const NodeId node = initial_element(state, element, {formula, Jumps::values, 0});
    builds_initial_ = false;
    return node;
  } catch (const Unbuildable&) {
    builds_initial_ = false;
    throw;
  }
}

void FormulaBuilder::set_initial_value(std::uint32_t state, std::uint32_t element, NodeId value) {
  prepare_initial_values();
  initial_nodes_[state][element - 1] = value;
}

void FormulaBuilder::prepare_initial_values() {
  if (!initial_nodes_.empty()) return;
  for (const std::uint32_t count : extents_.states) initial_nodes_.emplace_back(count, not_built);
}

// `place` is that of the name that is asked for.
NodeId FormulaBuilder::initial_element(std::uint32_t state, std::uint32_t element, const Place& place) {
  prepare_initial_values();
  NodeId& node = initial_nodes_[state][element - 1];
  if (node == unbuildable) throw Unbuildable{};
  const Quantity& quantity = model_.states[state];
  if (node == in_building) {
    const auto end = static_cast<std::uint32_t>(place.formula.expression.tokens.size());
    node = unbuildable;
    fail_at(place, {0, end}, "a circle of initial values",
            "initial values that end at numbers and parameters",
            in_quotes(quantity.name + (quantity.is_vector() ? std::to_string(element) : "")) +
                ", which is made of itself");
  }
  if (node == not_built) {
    node = in_building;
    try {
      node = build(Place{quantity.value, Jumps::values, quantity.is_vector() ? element : 0});
    } catch (const Unbuildable&) {
      node = unbuildable;
      throw;
    }
  }
  return node;
}

// A definition or a guard is built where it is first used, so that what no branch in force uses costs nothing.
NodeId FormulaBuilder::named_value(const Quantity& quantity, Built& built, std::uint32_t index,
                                   std::uint32_t element, Jumps jumps) {
  NodeId& place = built[index][element - 1];
  if (place == unbuildable) throw Unbuildable{};
  if (place == not_built) {
    place = unbuildable;  // in case it fails
    // The value is used on all sides, wherever it is met first.
    const std::vector<KnownSide> sides = std::exchange(sides_, {});
    place = build(Place{quantity.value, jumps, quantity.is_vector() ? element : 0});
    sides_ = sides;
  }
  return place;
}

// The element that x[index] means, from 1; nothing where it is the 0 beyond the ends.
std::optional<std::uint32_t> FormulaBuilder::element_of(const Formula& formula, std::uint32_t element) {
  start();
  const auto tokens = static_cast<std::uint32_t>(formula.expression.tokens.size());
  return element_at({formula, Jumps::values, element}, root_token(formula.expression, {0, tokens}));
}

std::optional<std::uint32_t> FormulaBuilder::element_at(const Place& place, std::uint32_t index) {
  const Symbol symbol = place.formula.symbols[index];
  const TokenRange range = argument_range(place.formula.expression, index, 0);
  const NodeId node = build({place.formula, Jumps::values, place.element, place.other}, range);
  const bool constant = graph_.is_constant(node);
  const double wanted = constant ? graph_.value(node) : 0;
  if (!constant || wanted != std::floor(wanted) || std::abs(wanted) > 1e9)
    fail_at(place, range, "an index that is no integer", "an integer expression of i, numbers and parameters",
            constant ? exact_text(wanted) : in_quotes(print_expression(place.formula.expression, range)));
  const auto count = static_cast<long long>(length(symbol));
  const auto number = static_cast<long long>(wanted);
  if (number >= 1 && number <= count) return static_cast<std::uint32_t>(number);
  switch (place.formula.ends != Ends::none ? place.formula.ends : ends_of(symbol)) {
    case Ends::zero: return std::nullopt;
    case Ends::periodic: return static_cast<std::uint32_t>(((number - 1) % count + count) % count + 1);
    case Ends::clamped: return static_cast<std::uint32_t>(number < 1 ? 1 : count);
    default:
      fail_at(place, token_range(place.formula, index), "an index out of range",
              "an index from 1 to " + std::to_string(count), std::to_string(number),
              "ends = \"zero\", \"periodic\" or \"clamped\" beside the value says what lies beyond the ends");
  }
}

Ends FormulaBuilder::ends_of(Symbol symbol) const {
  switch (symbol.kind) {
    case SymbolKind::state: return model_.states[symbol.index].ends;
    case SymbolKind::definition: return model_.definitions[symbol.index].ends;
    default: return model_.surfaces[symbol.index].ends;
  }
}

// ---- functions --------------------------------------------------------------------------------------

NodeId FormulaBuilder::build_call(const Place& place, std::uint32_t index) {
  if (place.formula.symbols[index].kind == SymbolKind::table) return build_table(place, index);
  const FunctionEntry& entry = functions()[place.formula.symbols[index].index];
  const Function function = entry.function;
  switch (function) {
    case Function::if_: return build_if(place, index);
    case Function::sgn:
    case Function::step:
    case Function::abs: return build_sign(place, index, function);
    case Function::min:
    case Function::max: return build_extremum(place, index, function == Function::max);
    case Function::sum: return build_sum(place, argument_range(place.formula.expression, index, 0).begin);
    case Function::floor:
    case Function::ceil:
    case Function::round:
    case Function::mod:
    case Function::square:
    case Function::triangle:
    case Function::sawtooth:
    case Function::pulse: refuse_memory_of_unknowns(place, index); return build_steps(place, index, function);
    case Function::saturation:
    case Function::dead_zone: return build_saturation(place, index, function == Function::dead_zone);
    case Function::hysteresis: refuse_memory_of_unknowns(place, index); return build_hysteresis(place, index);
    case Function::hypot: {
      const NodeId a = argument(place, index, 0);
      const NodeId b = argument(place, index, 1);
      const NodeId squares = graph_.add(graph_.multiply(a, a), graph_.multiply(b, b));
      return checked(place, token_range(place.formula, index), graph_.unary(Operation::sqrt, squares));
    }
    case Function::smooth_of_two: {
      const NodeId first = argument(place, index, 0);
      const NodeId node = binary(entry.operation, first, argument(place, index, 1));
      return checked(place, token_range(place.formula, index), node);
    }
    default: {
      const NodeId node = graph_.unary(entry.operation, argument(place, index, 0));
      return checked(place, token_range(place.formula, index), node);
    }
  }
}

// build_sum() adds in pairs, so that no partial sum but the last depends on all elements.
NodeId FormulaBuilder::build_sum(const Place& place, std::uint32_t index) {
  const Symbol symbol = place.formula.symbols[index];
  std::vector<NodeId> terms;
  for (std::uint32_t element = 1; element <= length(symbol); ++element)
    terms.push_back(named_element(place, index, element));
  while (terms.size() > 1) {
    const std::size_t pairs = terms.size() / 2;
    for (std::size_t k = 0; k < pairs; ++k) terms[k] = graph_.add(terms[2 * k], terms[2 * k + 1]);
    if (terms.size() % 2 == 1) terms[pairs] = terms.back();
    terms.resize((terms.size() + 1) / 2);
  }
  return terms.front();
}

// ---- text -------------------------------------------------------------------------------------------

// A range of tokens as text, with the elements of vectors by their names.
std::string FormulaBuilder::text(const Formula& formula, std::uint32_t element) {
  return shortened(text({formula, Jumps::values, element},
                        {0, static_cast<std::uint32_t>(formula.expression.tokens.size())}));
}

std::string FormulaBuilder::text(const Place& place, TokenRange range) {
  const Expression& expression = place.formula.expression;
  return print_expression(expression, range, [&](std::uint32_t token) -> std::string {
    const Symbol symbol = place.formula.symbols[token];
    if (symbol.kind == SymbolKind::index) return std::to_string(place.element);
    if (symbol.kind == SymbolKind::element) return std::to_string(place.other);
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
