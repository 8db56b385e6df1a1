#include "audit/written_tree.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "audit/errors_within.hpp"
#include "expression/expression_functions.hpp"

namespace slideway::auditing {

using reader::Ends;
using reader::Expression;
using reader::Formula;
using reader::Function;
using reader::Operation;
using reader::Symbol;
using reader::SymbolKind;
using reader::Token;
using reader::TokenKind;
using reader::TokenRange;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kTurn = 2 * std::numbers::pi;

double smooth_of_one(Operation operation, double a) {
  switch (operation) {
    case Operation::sin: return std::sin(a);
    case Operation::cos: return std::cos(a);
    case Operation::tan: return std::tan(a);
    case Operation::asin: return std::asin(a);
    case Operation::acos: return std::acos(a);
    case Operation::atan: return std::atan(a);
    case Operation::sinh: return std::sinh(a);
    case Operation::cosh: return std::cosh(a);
    case Operation::tanh: return std::tanh(a);
    case Operation::exp: return std::exp(a);
    case Operation::log: return std::log(a);
    case Operation::sqrt: return std::sqrt(a);
    default: return kNone;
  }
}

}  // namespace

// ---- what is known before a run ---------------------------------------------------------------------

void WrittenTree::set_lengths(std::vector<std::uint32_t> states, std::vector<std::uint32_t> definitions,
                              std::vector<std::uint32_t> surfaces) {
  extents_.states = std::move(states);
  extents_.definitions = std::move(definitions);
  extents_.surfaces = std::move(surfaces);
  const auto firsts = [](const std::vector<std::uint32_t>& lengths, std::vector<std::uint32_t>& first) {
    std::uint32_t sum = 0;
    for (const std::uint32_t length : lengths) {
      first.push_back(sum);
      sum += length;
    }
    return sum;
  };
  extents_.state_count = firsts(extents_.states, extents_.first_state);
  const std::uint32_t count = firsts(extents_.definitions, extents_.first_definition);
  firsts(extents_.surfaces, extents_.first_surface);
  definition_stamps_.assign(count, 0);
  definition_values_.assign(count, 0);
  input_of_definition_.assign(model_.definitions.size(), nullptr);
  for (std::size_t k = 0; k < model_.definitions.size(); ++k)
    for (const reader::InputDescription& input : model_.inputs)
      if (input.name == model_.definitions[k].name) input_of_definition_[k] = input.signal.get();
  for (std::size_t k = 0; k < model_.friction.size(); ++k)
    friction_of_velocity_[model_.friction[k].velocity] = k;
  definition_roots_.assign(model_.definitions.size(), no_root);
  surface_roots_.assign(model_.surfaces.size(), no_root);
  for (std::size_t k = 0; k < model_.definitions.size(); ++k) {
    const reader::Quantity& definition = model_.definitions[k];
    algebra_.first.push_back(static_cast<std::uint32_t>(algebra_.unknowns.size()));
    if (!definition.algebraic) continue;
    for (std::uint32_t element = 1; element <= extents_.definitions[k]; ++element)
      algebra_.unknowns.push_back(
          {static_cast<std::uint32_t>(k), element,
           definition.start ? static_cast<std::int64_t>(extents_.first_state[*definition.start] + element - 1)
                            : -1});
  }
  algebra_.solutions.assign(algebra_.unknowns.size(), 0);
  for (std::size_t k = 0; k < model_.definitions.size(); ++k)
    definition_roots_[k] = compile(model_.definitions[k].value);
  for (std::size_t k = 0; k < model_.surfaces.size(); ++k)
    surface_roots_[k] = compile(model_.surfaces[k].value);
}

Root WrittenTree::add(Node node, const std::vector<Root>& children) {
  node.first = static_cast<std::uint32_t>(children_.size());
  node.count = static_cast<std::uint32_t>(children.size());
  children_.insert(children_.end(), children.begin(), children.end());
  nodes_.push_back(node);
  return static_cast<Root>(nodes_.size() - 1);
}

Root WrittenTree::compile(const Formula& formula) {
  if (formula.empty()) return no_root;
  return compile_range(formula, {0, static_cast<std::uint32_t>(formula.expression.tokens.size())});
}

std::uint32_t WrittenTree::length_of(SymbolKind kind, std::uint32_t index) const {
  switch (kind) {
    case SymbolKind::state: return extents_.states[index];
    case SymbolKind::definition: return extents_.definitions[index];
    case SymbolKind::surface: return extents_.surfaces[index];
    default: return 1;
  }
}

Root WrittenTree::named(const Formula& formula, std::uint32_t token) {
  const Symbol symbol = formula.symbols[token];
  const bool is_indexed = formula.expression.tokens[token].kind == TokenKind::element;
  Node node;
  node.index = symbol.index;
  node.element = std::max<std::uint32_t>(symbol.element, 1);
  std::vector<Root> children;
  if (is_indexed) children.push_back(compile_range(formula, argument_range(formula.expression, token, 0)));
  switch (symbol.kind) {
    case SymbolKind::parameter: node.value = parameters_[symbol.index]; break;
    case SymbolKind::pi: node.value = std::numbers::pi; break;
    case SymbolKind::time: node.kind = Kind::time; break;
    case SymbolKind::index: node.kind = Kind::index_i; break;
    case SymbolKind::element: node.kind = Kind::index_j; break;
    case SymbolKind::impact: node.kind = Kind::impact; break;
    case SymbolKind::state: node.kind = is_indexed ? Kind::state_at : Kind::state; break;
    case SymbolKind::definition: node.kind = is_indexed ? Kind::definition_at : Kind::definition; break;
    case SymbolKind::surface: node.kind = is_indexed ? Kind::surface_at : Kind::surface; break;
    default: node.kind = Kind::unknown;
  }
  if (is_indexed) {
    const auto& quantities = symbol.kind == SymbolKind::state        ? model_.states
                             : symbol.kind == SymbolKind::definition ? model_.definitions
                                                                     : model_.surfaces;
    node.ends = formula.ends != Ends::none ? formula.ends : quantities[symbol.index].ends;
  }
  return add(node, children);
}

// sgn of a surface, or of the velocity of a friction, has the break-away ratios of these.
void WrittenTree::find_break_away(const Formula& formula, std::uint32_t token, Node& node) {
  const TokenRange range = argument_range(formula.expression, token, 0);
  const std::uint32_t root = root_token(formula.expression, range);
  if (root != range.begin) return;
  const Symbol symbol = formula.symbols[root];
  if (symbol.kind == SymbolKind::surface) {
    const reader::Quantity& surface = model_.surfaces[symbol.index];
    if (surface.break_away) node.ratio_above = node.ratio_below = compile(*surface.break_away);
    if (surface.break_away_below) node.ratio_below = compile(*surface.break_away_below);
  } else if (symbol.kind == SymbolKind::definition) {
    const auto found = friction_of_velocity_.find(symbol.index);
    if (found == friction_of_velocity_.end()) return;
    const reader::FrictionDescription& friction = model_.friction[found->second];
    if (friction.break_away)
      node.ratio_above = node.ratio_below = compile(model_.definitions[*friction.break_away].value);
    if (friction.break_away_below)
      node.ratio_below = compile(model_.definitions[*friction.break_away_below].value);
  }
}

// S > 0 of a surface is as sgn(S); of 0 < S the guard is that of −S.
void WrittenTree::find_break_away_of(Root operand, Node& node, bool is_turned) {
  const Kind kind = nodes_[operand].kind;
  if (kind != Kind::surface && kind != Kind::surface_at) return;
  const reader::Quantity& surface = model_.surfaces[nodes_[operand].index];
  if (surface.break_away) node.ratio_above = node.ratio_below = compile(*surface.break_away);
  if (surface.break_away_below) node.ratio_below = compile(*surface.break_away_below);
  if (is_turned) std::swap(node.ratio_above, node.ratio_below);
}

// How far beyond ±1 the λ of a site goes while it holds.
double WrittenTree::held_up_to(Root ratio, Indices at) {
  return ratio == no_root ? 1 : std::max(1.0, walk(ratio, at));
}

Root WrittenTree::compile_range(const Formula& formula, TokenRange range) {
  const Expression& expression = formula.expression;
  std::vector<Root> stack;
  const auto pop = [&] {
    const Root root = stack.back();
    stack.pop_back();
    return root;
  };
  for (std::uint32_t index = range.begin; index < range.end; index = expression.tokens[index].next) {
    const Token& token = expression.tokens[index];
    Node node;
    node.token = token.kind;
    switch (token.kind) {
      case TokenKind::number:
        node.value = token.value;
        stack.push_back(add(node, {}));
        break;
      case TokenKind::name:
      case TokenKind::element: stack.push_back(named(formula, index)); break;
      case TokenKind::call: {
        const Symbol symbol = formula.symbols[index];
        node.index = symbol.index;
        std::vector<Root> arguments;
        if (symbol.kind == SymbolKind::table) {
          node.kind = Kind::table;
        } else {
          const reader::FunctionEntry& entry = reader::functions()[symbol.index];
          node.kind = Kind::function;
          node.function = entry.function;
          node.operation = entry.operation;
          if (entry.function == Function::sgn || entry.function == Function::step)
            find_break_away(formula, index, node);
          if (entry.function == Function::sum) {
            const std::uint32_t first = argument_range(expression, index, 0).begin;
            const Symbol vector = formula.symbols[first];
            std::vector<Root> terms;
            for (std::uint32_t e = 1; e <= length_of(vector.kind, vector.index); ++e) {
              Node term;
              term.kind = vector.kind == SymbolKind::state        ? Kind::state
                          : vector.kind == SymbolKind::definition ? Kind::definition
                                                                  : Kind::surface;
              term.index = vector.index;
              term.element = e;
              terms.push_back(add(term, {}));
            }
            node.kind = Kind::sum;
            stack.push_back(add(node, terms));
            break;
          }
        }
        for (std::uint32_t k = 0; k < token.arguments; ++k)
          arguments.push_back(compile_range(formula, argument_range(expression, index, k)));
        stack.push_back(add(node, arguments));
        break;
      }
      case TokenKind::negate:
      case TokenKind::opposite: {
        node.kind = token.kind == TokenKind::negate ? Kind::negate : Kind::opposite;
        const Root a = pop();
        stack.push_back(add(node, {a}));
        break;
      }
      case TokenKind::add:
      case TokenKind::subtract:
      case TokenKind::multiply:
      case TokenKind::divide: {
        const Root b = pop();
        const Root a = pop();
        node.kind = Kind::chain;
        stack.push_back(add(node, {a, b}));
        break;
      }
      case TokenKind::power:
      case TokenKind::both:
      case TokenKind::either: {
        node.kind = token.kind == TokenKind::power  ? Kind::power
                    : token.kind == TokenKind::both ? Kind::both
                                                    : Kind::either;
        const Root b = pop();
        const Root a = pop();
        stack.push_back(add(node, {a, b}));
        break;
      }
      default: {
        node.kind = Kind::compare;
        const Root b = pop();
        const Root a = pop();
        if (nodes_[b].kind == Kind::number && nodes_[b].value == 0) find_break_away_of(a, node, false);
        if (nodes_[a].kind == Kind::number && nodes_[a].value == 0) find_break_away_of(b, node, true);
        stack.push_back(add(node, {a, b}));
      }
    }
  }
  return stack.back();
}

// ---- walking ----------------------------------------------------------------------------------------

void WrittenTree::set_point(double t, const double* x, const Sides* sides, Met* met) {
  t_ = rounding_ == 0 ? t : rounded_by_chance(t, rounding_);
  x_ = x;
  sides_ = sides;
  met_ = met;
  ++stamp_;
  algebra_.is_solved = algebra_.unknowns.empty();
}

double WrittenTree::constant(Root root, Indices at) {
  set_point(0, nullptr, nullptr, nullptr);
  algebra_.is_solved = true;
  return walk(root, at);
}

double WrittenTree::value(Root root, Indices at) {
  if (!algebra_.is_solved && !algebra_.is_solving) solve_unknowns();
  return walk(root, at);
}

bool WrittenTree::is_condition(Root root) const {
  const Kind kind = nodes_[root].kind;
  return kind == Kind::compare || kind == Kind::both || kind == Kind::either || kind == Kind::opposite;
}

bool WrittenTree::is_constant(Root root) const {
  const Node& node = nodes_[root];
  switch (node.kind) {
    case Kind::number:
    case Kind::index_i:
    case Kind::index_j:
    case Kind::negate:
    case Kind::chain:
    case Kind::power: break;
    case Kind::function:
      if (node.function != Function::smooth) return false;
      break;
    case Kind::definition: {
      const bool is_unknown = model_.definitions[node.index].algebraic;
      if (is_unknown || input_of_definition_[node.index] != nullptr) return false;
      return is_constant(definition_roots_[node.index]);
    }
    default: return false;
  }
  for (std::uint32_t k = 0; k < node.count; ++k)
    if (!is_constant(child(node, k))) return false;
  return true;
}

bool WrittenTree::holds(Root root, Indices at) {
  const double found = value(root, at);
  return is_condition(root) ? found > 0.5 : found > 0;
}

double WrittenTree::margin(Root root, Indices at, bool is_opposite) {
  if (!algebra_.is_solved && !algebra_.is_solving) solve_unknowns();
  const Node& node = nodes_[root];
  const auto part = [&](std::uint32_t k) { return margin(child(node, k), at, is_opposite); };
  switch (node.kind) {
    case Kind::compare: {
      const double a = walk(child(node, 0), at);
      const double b = walk(child(node, 1), at);
      if (node.token == TokenKind::equal || node.token == TokenKind::not_equal)
        return ((a == b) == (node.token == TokenKind::equal)) != is_opposite ? 1e300 : -1e300;
      const bool is_greater = node.token == TokenKind::greater || node.token == TokenKind::greater_equal;
      const bool with_equal = node.token == TokenKind::greater_equal || node.token == TokenKind::less_equal;
      const double difference = is_greater != is_opposite ? a - b : b - a;
      return difference == 0 && with_equal != is_opposite ? std::numeric_limits<double>::min() : difference;
    }
    case Kind::both: return is_opposite ? std::max(part(0), part(1)) : std::min(part(0), part(1));
    case Kind::either: return is_opposite ? std::min(part(0), part(1)) : std::max(part(0), part(1));
    case Kind::opposite: return margin(child(node, 0), at, !is_opposite);
    default: return is_opposite ? -walk(root, at) : walk(root, at);
  }
}

std::uint32_t WrittenTree::element_at(const Node& node, std::uint32_t length, Indices at) {
  const double wanted = walk(child(node, 0), at);
  if (!(std::abs(wanted) < 1e9)) return 0;
  const auto number = static_cast<long long>(wanted);
  const auto count = static_cast<long long>(length);
  if (number >= 1 && number <= count) return static_cast<std::uint32_t>(number);
  switch (node.ends) {
    case Ends::periodic: return static_cast<std::uint32_t>(((number - 1) % count + count) % count + 1);
    case Ends::clamped: return static_cast<std::uint32_t>(number < 1 ? 1 : count);
    default: return 0;
  }
}

std::uint32_t WrittenTree::element_of(const Formula& formula, Indices at) {
  const auto tokens = static_cast<std::uint32_t>(formula.expression.tokens.size());
  const Root root = named(formula, root_token(formula.expression, {0, tokens}));
  const Node node = nodes_[root];
  return element_at(node, extents_.states[node.index], at);
}

double WrittenTree::definition_value(std::uint32_t index, std::uint32_t element) {
  const reader::Quantity& definition = model_.definitions[index];
  if (definition.algebraic) return algebra_.solutions[algebra_.first[index] + element - 1];
  if (const Input* const input = input_of_definition_[index]) {
    try {
      return (*input)(t_);
    } catch (const std::out_of_range&) {
      return kNone;
    }
  }
  const std::uint32_t place = extents_.first_definition[index] + element - 1;
  if (definition_stamps_[place] == stamp_) return definition_values_[place];
  const double found = walk(definition_roots_[index], {definition.is_vector() ? element : 0, 0});
  definition_stamps_[place] = stamp_;
  definition_values_[place] = found;
  return found;
}

double WrittenTree::surface_value(std::uint32_t index, std::uint32_t element) {
  return walk(surface_roots_[index], {model_.surfaces[index].is_vector() ? element : 0, 0});
}

double WrittenTree::rounded(double result, Root root, double a, double b) const {
  if (rounding_ == 0) return result;
  const auto is_whole = [](double one) { return std::trunc(one) == one; };
  if (is_whole(result) && is_whole(a) && is_whole(b)) return result;
  return rounded_by_chance(result, rounding_, root);
}

double WrittenTree::walk(Root root, Indices at) {
  if (root == no_root) return kNone;
  ++visits_;
  const Node& node = nodes_[root];
  switch (node.kind) {
    case Kind::number: return node.value;
    case Kind::time: return t_;
    case Kind::index_i: return at.i;
    case Kind::index_j: return at.j;
    case Kind::impact: return impact_;
    case Kind::state: return x_[extents_.first_state[node.index] + node.element - 1];
    case Kind::definition: return definition_value(node.index, node.element);
    case Kind::surface: return surface_value(node.index, node.element);
    case Kind::state_at: {
      const std::uint32_t element = element_at(node, extents_.states[node.index], at);
      return element == 0 ? 0 : x_[extents_.first_state[node.index] + element - 1];
    }
    case Kind::definition_at: {
      const std::uint32_t element = element_at(node, extents_.definitions[node.index], at);
      return element == 0 ? 0 : definition_value(node.index, element);
    }
    case Kind::surface_at: {
      const std::uint32_t element = element_at(node, extents_.surfaces[node.index], at);
      return element == 0 ? 0 : surface_value(node.index, element);
    }
    case Kind::sum: {
      double sum = 0;
      for (std::uint32_t k = 0; k < node.count; ++k) {
        const double one = walk(child(node, k), at);
        sum = rounded(sum + one, root, sum, one);
      }
      return sum;
    }
    case Kind::negate: return -walk(child(node, 0), at);
    case Kind::power: {
      const double a = walk(child(node, 0), at);
      const double b = walk(child(node, 1), at);
      return rounded(std::pow(a, b), root, a, b);
    }
    case Kind::opposite: return 1 - walk(child(node, 0), at);
    case Kind::both: {
      const double a = walk(child(node, 0), at);
      return a == 0 ? 0 : a * walk(child(node, 1), at);
    }
    case Kind::either: {
      const double a = walk(child(node, 0), at);
      if (a == 1) return 1;
      const double b = walk(child(node, 1), at);
      return a + b - a * b;
    }
    case Kind::compare: return compared(node, root, at);
    case Kind::table: return table_value(node, root, at);
    case Kind::function: return call(node, root, at);
    case Kind::chain: {
      // The left operands of a long sum are many, and are not recursed into.
      const auto apply = [&](Root link, double a, double b) {
        switch (nodes_[link].token) {
          case TokenKind::add: return rounded(a + b, link, a, b);
          case TokenKind::subtract: return rounded(a - b, link, a, b);
          case TokenKind::multiply: return rounded(a * b, link, a, b);
          default: return rounded(a / b, link, a, b);
        }
      };
      const Root left = child(node, 0);
      if (nodes_[left].kind != Kind::chain) {
        const double a = walk(left, at);
        return apply(root, a, walk(child(node, 1), at));
      }
      std::vector<Root> spine{root};
      Root first = left;
      while (nodes_[first].kind == Kind::chain) {
        spine.push_back(first);
        first = child(nodes_[first], 0);
      }
      double sum = walk(first, at);
      for (auto place = spine.rbegin(); place != spine.rend(); ++place)
        sum = apply(*place, sum, walk(child(nodes_[*place], 1), at));
      return sum;
    }
    default: return kNone;
  }
}

double WrittenTree::side(Root root, Indices at, double guard, double own, std::uint32_t part, bool is_memory,
                         double above, double below) {
  // A key tells the place in the file, the elements and the step; two sites have one key with a chance of 1 in 2⁶⁴. Each number is mixed
  // before the next one is added: places and elements are small, and their bits would meet.
  SiteKey key = hash_of(root);
  for (const std::uint64_t more :
       {static_cast<std::uint64_t>(at.i), static_cast<std::uint64_t>(at.j), static_cast<std::uint64_t>(part)})
    key = hash_of(key ^ more);
  double taken = own;
  if (sides_ != nullptr) {
    const auto found = sides_->find(key);
    if (found != sides_->end()) taken = found->second;
  }
  if (met_ != nullptr && !algebra_.is_solving) (*met_)[key] = {guard, taken, is_memory, above, below};
  return taken;
}

double WrittenTree::compared(const Node& node, Root root, Indices at) {
  const double a = walk(child(node, 0), at);
  const double b = walk(child(node, 1), at);
  switch (node.token) {
    case TokenKind::equal: return a == b ? 1 : 0;
    case TokenKind::not_equal: return a != b ? 1 : 0;
    default: break;
  }
  if (std::isnan(a) || std::isnan(b)) return kNone;
  const bool is_greater = node.token == TokenKind::greater || node.token == TokenKind::greater_equal;
  const bool holds = node.token == TokenKind::greater         ? a > b
                     : node.token == TokenKind::greater_equal ? a >= b
                     : node.token == TokenKind::less          ? a < b
                                                              : a <= b;
  const double taken = side(root, at, a - b, holds == is_greater ? 1 : -1, 0, false,
                            held_up_to(node.ratio_above, at), held_up_to(node.ratio_below, at));
  return is_greater ? 0.5 * (1 + taken) : 0.5 * (1 - taken);
}

// ⌊a⌋, with a site at the nearest whole number.
double WrittenTree::steps(Root root, Indices at, double a, std::uint32_t part) {
  if (!std::isfinite(a)) return kNone;
  const double nearest = std::round(a);
  const double guard = a - nearest;
  // Half way between two steps no side is in question.
  if (std::abs(guard) >= 0.25) return std::floor(a);
  return nearest - 1 + 0.5 * (1 + side(root, at, guard, guard >= 0 ? 1 : -1, part));
}

double WrittenTree::call(const Node& node, Root root, Indices at) {
  const auto argument = [&](std::uint32_t k) { return walk(child(node, k), at); };
  switch (node.function) {
    case Function::smooth: {
      const double a = argument(0);
      return rounded(smooth_of_one(node.operation, a), root, a, 0);
    }
    case Function::smooth_of_two: {
      const double a = argument(0);
      const double b = argument(1);
      return rounded(node.operation == Operation::power ? std::pow(a, b) : std::atan2(a, b), root, a, b);
    }
    case Function::hypot: {
      const double a = argument(0);
      const double b = argument(1);
      return rounded(std::hypot(a, b), root, a, b);
    }
    case Function::abs: return std::abs(argument(0));
    case Function::min: {
      const double a = argument(0);
      const double b = argument(1);
      return std::isnan(a) || std::isnan(b) ? kNone : std::min(a, b);
    }
    case Function::max: {
      const double a = argument(0);
      const double b = argument(1);
      return std::isnan(a) || std::isnan(b) ? kNone : std::max(a, b);
    }
    case Function::sgn:
    case Function::step: {
      const double a = argument(0);
      if (std::isnan(a)) return kNone;
      const double above = held_up_to(node.ratio_above, at);
      const double below = held_up_to(node.ratio_below, at);
      const double own = a > 0 ? 1 : a < 0 ? -1 : node.function == Function::sgn ? 0 : -1;
      const double taken = side(root, at, a, own, 0, false, above, below);
      return node.function == Function::sgn ? taken : 0.5 * (1 + taken);
    }
    case Function::if_: {
      const double truth = is_condition(child(node, 0)) ? argument(0) : (argument(0) > 0 ? 1 : 0);
      if (std::isnan(truth)) return kNone;
      if (truth == 1) return argument(1);
      if (truth == 0) return argument(2);
      return truth * argument(1) + (1 - truth) * argument(2);
    }
    case Function::saturation:
    case Function::dead_zone: {
      const double u = argument(0);
      const double low = argument(1);
      const double high = argument(2);
      if (std::isnan(u) || std::isnan(low) || std::isnan(high)) return kNone;
      const double within = std::min(std::max(u, low), high);
      return node.function == Function::saturation ? within : u - within;
    }
    case Function::floor: return steps(root, at, argument(0), 1);
    case Function::ceil: return -steps(root, at, -argument(0), 1);
    case Function::round: return steps(root, at, argument(0) + 0.5, 1);
    case Function::mod: {
      const double a = argument(0);
      const double b = argument(1);
      return a - b * steps(root, at, a / b, 1);
    }
    case Function::square: {
      const double halves = steps(root, at, argument(0) / std::numbers::pi, 1);
      // Between two numbers of half turns Filippov's combination is the straight line.
      const double below = std::floor(halves);
      const auto value_of = [](double whole) { return std::fmod(std::abs(whole), 2.0) == 0 ? 1.0 : -1.0; };
      return value_of(below) + (halves - below) * (value_of(below + 1) - value_of(below));
    }
    case Function::sawtooth: {
      const double turns = argument(0) / kTurn;
      return 2 * (turns - steps(root, at, turns, 1)) - 1;
    }
    case Function::triangle: {
      const double turns = argument(0) / kTurn + 0.25;
      const double phase = turns - std::floor(turns);
      return 1 - 4 * std::abs(phase - 0.5);
    }
    case Function::pulse: {
      const double turns = argument(0) / kTurn;
      const double width = argument(1);
      return steps(root, at, turns, 1) - steps(root, at, turns - width, 2);
    }
    case Function::hysteresis: {
      const double u = argument(0);
      const double low = argument(1);
      const double high = argument(2);
      if (std::isnan(u) || std::isnan(low) || std::isnan(high)) return kNone;
      if (u > high) return side(root, at, u - high, 1);
      if (u < low) return side(root, at, u - low, -1);
      return side(root, at, 0, -1, 0, true);
    }
    default: return kNone;
  }
}

// A table of two variables that jumps at the lines of its knots: the knot nearest in each variable is a site.
double WrittenTree::table_of_jumps(const Table& table, Root root, Indices at, double u, double v) {
  struct Ways {
    double below;
    double above;
    double taken;
  };
  const auto ways = [&](const std::vector<double>& knots, double value, std::uint32_t variable) {
    const auto nearest = std::min_element(knots.begin(), knots.end(), [&](double a, double b) {
      return std::abs(value - a) < std::abs(value - b);
    });
    const double own = value >= *nearest ? 1 : -1;
    const auto part = static_cast<std::uint32_t>(2 * (nearest - knots.begin())) + variable + 1;
    const double taken = side(root, at, value - *nearest, own, part);
    const double before = std::nextafter(*nearest, -std::numeric_limits<double>::infinity());
    return Ways{own < 0 ? value : before, own > 0 ? value : *nearest, taken};
  };
  const Ways first = ways(table.data().first, u, 0);
  const Ways second = ways(table.data().second, v, 1);
  const auto between = [](const Ways& one, const auto& value) {
    if (one.taken == 1) return value(one.above);
    if (one.taken == -1) return value(one.below);
    return value(one.below) + 0.5 * (1 + one.taken) * (value(one.above) - value(one.below));
  };
  return between(first, [&](double a) { return between(second, [&](double b) { return table(a, b); }); });
}

double WrittenTree::table_value(const Node& node, Root root, Indices at) {
  const Table& table = *model_.tables[node.index].table;
  const double u = walk(child(node, 0), at);
  if (!std::isfinite(u)) return kNone;
  try {
    if (table.has_two_variables()) {
      const double v = walk(child(node, 1), at);
      if (!std::isfinite(v)) return kNone;
      return table.jumps() ? table_of_jumps(table, root, at, u, v) : table(u, v);
    }
    const std::vector<double>& knots = table.data().first;
    const std::vector<double>& values = table.data().values;
    if (!table.jumps()) return table(u);
    if (table.data().beyond == Beyond::error && (u < knots.front() || u > knots.back())) return kNone;
    // The knot that is nearest, and the values below and above it.
    const auto above =
        static_cast<std::size_t>(std::lower_bound(knots.begin(), knots.end(), u) - knots.begin());
    std::size_t near = std::min(above, knots.size() - 1);
    if (near > 0 && u - knots[near - 1] < knots[near] - u) --near;
    const double taken =
        side(root, at, u - knots[near], u >= knots[near] ? 1 : -1, static_cast<std::uint32_t>(near) + 1);
    const double below = near > 0 ? values[near - 1] : values.front();
    return below + 0.5 * (1 + taken) * (values[near] - below);
  } catch (const std::out_of_range&) {
    return kNone;
  }
}

// ---- algebraic variables ----------------------------------------------------------------------------

void WrittenTree::residuals(const std::vector<double>& y, std::vector<double>& r) {
  ++stamp_;
  algebra_.solutions = y;
  for (std::size_t k = 0; k < algebra_.unknowns.size(); ++k) {
    const Unknown& unknown = algebra_.unknowns[k];
    const reader::Quantity& definition = model_.definitions[unknown.definition];
    r[k] =
        y[k] - walk(definition_roots_[unknown.definition], {definition.is_vector() ? unknown.element : 0, 0});
  }
}

// Newton's steps with slopes by differences, halved where they lead to larger residuals.
bool WrittenTree::newton(std::vector<double>& y) {
  constexpr int most_steps = 60;
  const std::size_t n = y.size();
  std::vector<double> r(n), moved(n), there(n);
  const auto size = [](const std::vector<double>& v) {
    double sum = 0;
    for (const double one : v) sum += one * one;
    return std::sqrt(sum);
  };
  residuals(y, r);
  for (int step = 0; step < most_steps; ++step) {
    if (!std::isfinite(size(r))) return false;
    Matrix slopes(static_cast<Index>(n), static_cast<Index>(n));
    for (std::size_t k = 0; k < n; ++k) {
      moved = y;
      const double difference = 1e-7 * std::max(1e-3, std::abs(y[k]));
      moved[k] += difference;
      residuals(moved, there);
      for (std::size_t i = 0; i < n; ++i)
        slopes(static_cast<Index>(i), static_cast<Index>(k)) = (there[i] - r[i]) / difference;
    }
    const Vector along =
        slopes.partialPivLu().solve(Eigen::Map<const Vector>(r.data(), static_cast<Index>(n)));
    if (!along.allFinite()) return false;
    double part = 1;
    for (int halving = 0; halving < 30; ++halving, part *= 0.5) {
      for (std::size_t k = 0; k < n; ++k) moved[k] = y[k] - part * along[static_cast<Index>(k)];
      residuals(moved, there);
      if (size(there) <= size(r) || (halving == 0 && size(there) < 2 * size(r) && step < 5)) break;
    }
    double change = 0;
    for (std::size_t k = 0; k < n; ++k)
      change = std::max(change, std::abs(moved[k] - y[k]) / std::max(1e-9, std::abs(moved[k])));
    y = moved;
    r = there;
    // A step that was halved away is no solution: the residual jumps there.
    if (change < 1e-11) return size(r) < 1e-9 * (1 + size(y));
  }
  return size(r) < 1e-9 * (1 + size(y));
}

void WrittenTree::solve_unknowns() {
  algebra_.is_solving = true;
  // The slopes are dense; larger systems decide nothing.
  constexpr std::size_t most_unknowns = 40;
  std::vector<double> y = algebra_.solutions;
  for (std::size_t k = 0; k < algebra_.unknowns.size(); ++k) {
    if (algebra_.unknowns[k].follower >= 0) y[k] = x_[algebra_.unknowns[k].follower];
    if (!std::isfinite(y[k])) y[k] = 0;
  }
  const bool found = algebra_.unknowns.size() <= most_unknowns && newton(y);
  algebra_.solutions = found ? y : std::vector<double>(algebra_.unknowns.size(), kNone);
  ++stamp_;
  algebra_.is_solving = false;
  algebra_.is_solved = true;
}

std::vector<Follower> WrittenTree::followers() {
  std::vector<Follower> result;
  if (!algebra_.is_solved) solve_unknowns();
  for (std::size_t k = 0; k < algebra_.unknowns.size(); ++k)
    if (algebra_.unknowns[k].follower >= 0)
      result.push_back({static_cast<std::uint32_t>(algebra_.unknowns[k].follower), algebra_.solutions[k]});
  return result;
}

}  // namespace slideway::auditing
