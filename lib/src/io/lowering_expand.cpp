#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "io/lowering.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::reader {
namespace {

// What a jump becomes: a surface, a mistake (inside a guard), or a value like any other (in a reset).
enum class Jumps { surfaces, refused, values };

// An expression that cannot be built; the mistake has been told.
struct Unbuildable {};

// Calls, indices and definitions inside each other, all together.
constexpr int deepest_recursion = 1000;

const char* kink_or_jump(Function function) {
  return function == Function::abs || function == Function::min || function == Function::max ? "has a kink"
                                                                                             : "jumps";
}

std::string shown(double value) { return print_expression(number_expression(value)); }

class Expander {
 public:
  Expander(const ModelDescription& model, const Settings& settings, Check check,
           const ExpansionLimits& limits, Mistakes& mistakes, ExpandedModel& expanded)
      : model_(model),
        check_(check),
        limits_(limits),
        mistakes_(mistakes),
        expanded_(expanded),
        graph_(expanded.graph) {
    for (const auto& [name, value] : settings) settings_[name] = value;
  }

  void run() {
    set_parameters();
    if (!mistakes_.empty()) return;
    set_sizes();
    if (!mistakes_.empty()) return;
    set_states();
    check_settings();
    if (!mistakes_.empty()) return;
    build_surfaces();
    build_motion();
    build_events();
    sort_surfaces();
    if (check_ == Check::everything) build_unused_definitions();
  }

 private:
  // Where an expression is built: as an element of a vector or not, and what jumps become.
  struct Place {
    const Formula& formula;
    Jumps jumps;
    std::uint32_t element;  // the value of i; 0: none
  };
  // A value on the stack, and the first of its tokens.
  struct Operand {
    NodeId node;
    std::uint32_t begin;
  };
  struct Surface {
    std::string name;
    NodeId guard;
    bool named;
    // The place of its first appearance, for the order of unnamed ones.
    Position position;
    std::uint32_t token;
    std::uint32_t element;
  };
  struct SurfaceSide {
    std::uint32_t surface;
    int sign;  // −1: λ of the surface is the opposite of the sign asked for
  };
  // Elements of a definition (one, if it is a scalar) that have been built.
  static constexpr NodeId not_built = 0xFFFFFFFFU;
  static constexpr NodeId unbuildable = 0xFFFFFFFEU;
  using Built = std::vector<std::vector<NodeId>>;

  // ---- mistakes -------------------------------------------------------------------------------------

  [[noreturn]] void fail(Mistake mistake) {
    mistakes_.push_back(std::move(mistake));
    throw Unbuildable{};
  }

  [[noreturn]] void fail_at(const Place& place, TokenRange range, std::string what, std::string expected,
                            std::string got, std::string hint = "") {
    const auto [begin, end] = text_range(place.formula.expression, range);
    Mistake mistake;
    mistake.where = place_of(model_.source, place.formula, begin);
    mistake.length = place.formula.is_string ? end - begin : 1;
    mistake.what = std::move(what) + " in " + place.formula.owner;
    if (place.element > 0) mistake.what += " (i = " + std::to_string(place.element) + ")";
    mistake.expected = std::move(expected);
    mistake.got = std::move(got);
    mistake.hint = std::move(hint);
    fail(std::move(mistake));
  }

  static TokenRange token_range(const Formula& formula, std::uint32_t token) {
    return {token, formula.expression.tokens[token].next};
  }

  // Runs `build`, whose mistakes have been told when it fails.
  template <class Build>
  bool succeeds(const Build& build) {
    try {
      build();
      return true;
    } catch (const Unbuildable&) {
      return false;
    }
  }

  // ---- names and values -----------------------------------------------------------------------------

  void set_parameters() {
    for (const Quantity& parameter : model_.parameters) {
      double value = 0;
      const auto setting = settings_.find(parameter.name);
      if (setting != settings_.end())
        value = setting->second;
      else if (!succeeds([&] { value = constant(parameter.value, 0); }))
        value = 1;
      if (!std::isfinite(value))
        refuse({"a parameter that is not finite", parameter.name, "a finite number", shown(value), ""});
      expanded_.parameters.emplace_back(parameter.name, value);
      parameter_nodes_.push_back(graph_.constant(value));
    }
  }

  // The value of an expression of numbers and parameters.
  double constant(const Formula& formula, std::uint32_t element) {
    return graph_.value(build_root({formula, Jumps::values, element}));
  }

  void set_sizes() {
    set_sizes(model_.states, state_sizes_);
    set_sizes(model_.definitions, definition_sizes_);
    set_sizes(model_.surfaces, surface_sizes_);
  }

  void set_sizes(const std::vector<Quantity>& quantities, std::vector<std::uint32_t>& sizes) {
    for (const Quantity& quantity : quantities) {
      sizes.push_back(1);
      if (quantity.size) succeeds([&] { sizes.back() = size_of(quantity); });
    }
  }

  std::uint32_t size_of(const Quantity& quantity) {
    const double size = constant(*quantity.size, 0);
    elements_ += size >= 1 ? size : 0;
    const auto most = static_cast<double>(limits_.states);
    if (size == std::floor(size) && size >= 1 && elements_ <= most) return static_cast<std::uint32_t>(size);
    Mistake mistake;
    mistake.where = quantity.size->position;
    mistake.what = quantity.size->owner;
    mistake.expected =
        "an integer from 1, and at most " + std::to_string(limits_.states) + " elements in all";
    mistake.got = shown(size);
    fail(std::move(mistake));
  }

  void set_states() {
    for (std::size_t k = 0; k < model_.states.size(); ++k) {
      first_state_.push_back(static_cast<std::uint32_t>(expanded_.state_names.size()));
      const Quantity& state = model_.states[k];
      for (std::uint32_t element = 1; element <= state_sizes_[k]; ++element)
        expanded_.state_names.push_back(state.is_vector() ? state.name + std::to_string(element)
                                                          : state.name);
    }
    check_name_clashes();
    const std::size_t count = expanded_.state_names.size();
    expanded_.initial = Vector::Zero(static_cast<Index>(count));
    for (std::size_t k = 0; k < model_.states.size(); ++k) set_initial_values(k);
    succeeds([&] { expanded_.start = constant(model_.start, 0); });
    succeeds([&] { expanded_.end = constant(model_.end, 0); });
    if (expanded_.end < expanded_.start)
      mistakes_.push_back({model_.end.position, 1, "the end is before the start",
                           "an end time of at least " + shown(expanded_.start), shown(expanded_.end), ""});
    set_tolerances(count);
  }

  void set_initial_values(std::size_t k) {
    const Quantity& state = model_.states[k];
    for (std::uint32_t element = 1; element <= state_sizes_[k]; ++element) {
      const std::uint32_t index = first_state_[k] + element - 1;
      const auto setting = settings_.find(expanded_.state_names[index]);
      double value = 0;
      if (setting != settings_.end())
        value = setting->second;
      else if (!succeeds([&] { value = constant(state.value, state.is_vector() ? element : 0); }))
        return;
      if (!std::isfinite(value))
        refuse({"an initial value that is not finite", expanded_.state_names[index], "a finite number",
                shown(value), ""});
      expanded_.initial[static_cast<Index>(index)] = value;
    }
  }

  void set_tolerances(std::size_t count) {
    if (!model_.atol_list.empty() && model_.atol_list.size() != count)
      mistakes_.push_back({model_.atol_position, 1, "'atol' of the wrong length",
                           std::to_string(count) + " numbers, one per state",
                           std::to_string(model_.atol_list.size()), ""});
    expanded_.atol = model_.atol_list.empty() ? model_.defaults.atol : model_.atol_list;
    for (std::size_t k = 0; k < model_.atol_by_state.size(); ++k)
      expanded_.atol.insert(expanded_.atol.end(), state_sizes_[k], model_.atol_by_state[k]);
  }

  // The names x1, x2, … of a vector must not be those of anything else.
  void check_name_clashes() {
    struct Named {
      const Quantity* quantity;
      std::uint32_t size;
    };
    std::vector<Named> all;
    const auto add = [&](const std::vector<Quantity>& quantities, const std::vector<std::uint32_t>& sizes) {
      for (std::size_t k = 0; k < quantities.size(); ++k) all.push_back({&quantities[k], sizes[k]});
    };
    add(model_.parameters, std::vector<std::uint32_t>(model_.parameters.size(), 1));
    add(model_.states, state_sizes_);
    add(model_.definitions, definition_sizes_);
    add(model_.surfaces, surface_sizes_);
    for (const Named& vector : all) {
      if (!vector.quantity->is_vector()) continue;
      for (const Named& other : all) {
        // Of two vectors x and x1, the latter's first element is x11.
        const std::string name = other.quantity->name + (other.quantity->is_vector() ? "1" : "");
        const std::uint32_t element = element_number(name, vector.quantity->name);
        if (&other == &vector || element == 0 || element > vector.size) continue;
        mistakes_.push_back({other.quantity->position, other.quantity->name.size(), "a clash of names",
                             "a name that no element of a vector has",
                             quoted(name) + ", which element " + std::to_string(element) + " of '" +
                                 vector.quantity->name + "' (line " +
                                 std::to_string(vector.quantity->position.line) + ") has, too",
                             ""});
      }
    }
  }

  void check_settings() {
    for (const auto& setting : settings_) {
      const std::string& name = setting.first;
      const auto is_parameter = [&](const Quantity& parameter) { return parameter.name == name; };
      if (std::any_of(model_.parameters.begin(), model_.parameters.end(), is_parameter)) continue;
      if (is_state(name)) continue;
      std::vector<std::string> known;
      for (const Quantity& parameter : model_.parameters) known.push_back(parameter.name);
      constexpr std::size_t many = 1000;
      for (const std::string& state : expanded_.state_names)
        if (known.size() < many) known.push_back(state);
      refuse({"no such parameter or state: " + quoted(name), model_.name, "", "", suggestion(name, known)});
    }
  }

  bool is_state(const std::string& name) const {
    for (std::size_t k = 0; k < model_.states.size(); ++k) {
      const Quantity& state = model_.states[k];
      if (!state.is_vector() && state.name == name) return true;
      if (!state.is_vector()) continue;
      const std::uint32_t element = element_number(name, state.name);
      if (element > 0 && element <= state_sizes_[k]) return true;
    }
    return false;
  }

  // ---- expressions ----------------------------------------------------------------------------------

  NodeId build(const Place& place) {
    const auto tokens = static_cast<std::uint32_t>(place.formula.expression.tokens.size());
    return build(place, {0, tokens});
  }

  NodeId build(const Place& place, TokenRange range) {
    if (++depth_ > deepest_recursion) {
      fail_at(place, {range.begin, range.begin + 1}, "definitions and brackets too deep inside each other",
              "at most " + std::to_string(deepest_recursion) + " levels in all", "more");
    }
    const Expression& expression = place.formula.expression;
    const std::size_t bottom = stack_.size();
    for (std::uint32_t index = range.begin; index < range.end; index = expression.tokens[index].next) {
      const Token& token = expression.tokens[index];
      switch (token.kind) {
        case TokenKind::number:
          stack_.push_back({graph_.constant(token.value), index});
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

  // An expression that could not be built leaves things behind.
  void start_expression() {
    stack_.clear();
    depth_ = 0;
  }
  NodeId build_root(const Place& place) {
    start_expression();
    return build(place);
  }

  void push(NodeId node, std::uint32_t begin) { stack_.push_back({node, begin}); }

  void build_operator(const Place& place, std::uint32_t index) {
    const Operand right = stack_.back();
    stack_.pop_back();
    const Operand left = stack_.back();
    Operation operation = Operation::add;
    switch (place.formula.expression.tokens[index].kind) {
      case TokenKind::subtract:
        operation = Operation::subtract;
        break;
      case TokenKind::multiply:
        operation = Operation::multiply;
        break;
      case TokenKind::divide:
        operation = Operation::divide;
        break;
      case TokenKind::power:
        operation = Operation::power;
        break;
      default:
        break;
    }
    if (operation == Operation::divide && graph_.is_constant(right.node, 0)) {
      const TokenRange divisor{right.begin, index};
      fail_at(place, divisor, "division by zero", "a divisor that is not 0",
              print_expression(place.formula.expression, divisor) + " = 0");
    }
    stack_.back().node =
        checked(place, {left.begin, index + 1}, graph_.binary(operation, left.node, right.node));
  }

  // What is folded to a number must be one.
  NodeId checked(const Place& place, TokenRange range, NodeId node) {
    if (graph_.is_constant(node) && !std::isfinite(graph_.value(node)))
      fail_at(place, range, "a value that is not finite", "a finite number",
              print_expression(place.formula.expression, range) + " = " + shown(graph_.value(node)));
    return node;
  }

  void push_name(const Place& place, std::uint32_t index) {
    const Symbol symbol = place.formula.symbols[index];
    const Token& token = place.formula.expression.tokens[index];
    std::uint32_t element = symbol.element;
    if (token.kind == TokenKind::element) {
      const std::optional<std::uint32_t> wanted = element_at(place, index);
      if (!wanted) return push(graph_.constant(0), index);
      element = *wanted;
    } else if (element > size(symbol)) {
      fail_at(place, token_range(place.formula, index), "an element that does not exist",
              "at most " + std::to_string(size(symbol)) + " elements",
              quoted(place.formula.expression.spelling(token)));
    }
    const NodeId node = value_of_symbol(symbol, element == 0 ? 1 : element, place);
    if (place.jumps == Jumps::refused && graph_.has_lambda(node))
      refuse_jump(place, index, quoted(place.formula.expression.spelling(token)) + " has one");
    push(node, index);
  }

  std::uint32_t size(Symbol symbol) const {
    switch (symbol.kind) {
      case SymbolKind::state:
        return state_sizes_[symbol.index];
      case SymbolKind::definition:
        return definition_sizes_[symbol.index];
      case SymbolKind::surface:
        return surface_sizes_[symbol.index];
      default:
        return 1;
    }
  }

  NodeId value_of_symbol(Symbol symbol, std::uint32_t element, const Place& place) {
    switch (symbol.kind) {
      case SymbolKind::parameter:
        return parameter_nodes_[symbol.index];
      case SymbolKind::state:
        return graph_.state(first_state_[symbol.index] + element - 1);
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
        return named_value(model_.surfaces[symbol.index], surface_nodes_, symbol.index, element,
                           Jumps::refused);
    }
  }

  // A definition or a guard is built where it is first used, so that what no branch in force uses costs nothing.
  NodeId named_value(const Quantity& quantity, Built& built, std::uint32_t index, std::uint32_t element,
                     Jumps jumps) {
    NodeId& place = built[index][element - 1];
    if (place == unbuildable) throw Unbuildable{};
    if (place == not_built) {
      place = unbuildable;  // in case it fails
      place = build({quantity.value, jumps, quantity.is_vector() ? element : 0});
    }
    return place;
  }

  // The element that x[index] means, from 1; nothing where it is the 0 beyond the ends.
  std::optional<std::uint32_t> element_at(const Place& place, std::uint32_t index) {
    const Symbol symbol = place.formula.symbols[index];
    const TokenRange argument = argument_range(place.formula.expression, index, 0);
    const NodeId node = build({place.formula, Jumps::values, place.element}, argument);
    const double wanted = graph_.is_constant(node) ? graph_.value(node) : 0.5;
    if (wanted != std::floor(wanted) || std::abs(wanted) > 1e9)
      fail_at(place, argument, "an index that is no integer",
              "an integer expression of i, numbers and parameters",
              graph_.is_constant(node) ? shown(wanted)
                                       : quoted(print_expression(place.formula.expression, argument)));
    const auto count = static_cast<long long>(size(symbol));
    const auto number = static_cast<long long>(wanted);
    if (number >= 1 && number <= count) return static_cast<std::uint32_t>(number);
    switch (place.formula.ends != Ends::none ? place.formula.ends : own_ends(symbol)) {
      case Ends::zero:
        return std::nullopt;
      case Ends::periodic:
        return static_cast<std::uint32_t>(((number - 1) % count + count) % count + 1);
      case Ends::clamped:
        return static_cast<std::uint32_t>(number < 1 ? 1 : count);
      default:
        fail_at(
            place, token_range(place.formula, index), "an index out of range",
            "an index from 1 to " + std::to_string(count), std::to_string(number),
            "ends = \"zero\", \"periodic\" or \"clamped\" beside the value says what lies beyond the ends");
    }
  }

  Ends own_ends(Symbol symbol) const {
    switch (symbol.kind) {
      case SymbolKind::state:
        return model_.states[symbol.index].ends;
      case SymbolKind::definition:
        return model_.definitions[symbol.index].ends;
      default:
        return model_.surfaces[symbol.index].ends;
    }
  }

  // ---- functions ------------------------------------------------------------------------------------

  NodeId build_call(const Place& place, std::uint32_t index) {
    const Expression& expression = place.formula.expression;
    const Function function = functions()[place.formula.symbols[index].index].function;
    const auto argument = [&](std::uint32_t k) { return build(place, argument_range(expression, index, k)); };
    switch (function) {
      case Function::if_:
        return build_if(place, index);
      case Function::sgn:
      case Function::step:
      case Function::abs:
        return build_sign(place, index, function, argument(0));
      case Function::min:
      case Function::max:
        return build_extremum(place, index, function == Function::max);
      case Function::atan2:
      case Function::pow: {
        const Operation operation = function == Function::pow ? Operation::power : Operation::atan2;
        const NodeId first = argument(0);
        return checked(place, token_range(place.formula, index),
                       graph_.binary(operation, first, argument(1)));
      }
      default:
        return checked(place, token_range(place.formula, index), graph_.unary(smooth(function), argument(0)));
    }
  }

  static Operation smooth(Function function) {
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

  NodeId build_sign(const Place& place, std::uint32_t index, Function function, NodeId argument) {
    const Operation operation = function == Function::sgn    ? Operation::sign
                                : function == Function::step ? Operation::step
                                                             : Operation::absolute;
    if (place.jumps == Jumps::values || graph_.is_constant(argument))
      return graph_.unary(operation, argument);
    const TokenRange range = argument_range(place.formula.expression, index, 0);
    const SurfaceSide side = surface(place, index, argument, [&] { return text(place, range); });
    if (function == Function::step) return select(side, graph_.constant(1), graph_.constant(0));
    const NodeId lambda = graph_.lambda(side.surface);
    const NodeId sign = side.sign > 0 ? lambda : graph_.negate(lambda);
    return function == Function::sgn ? sign : graph_.multiply(sign, argument);
  }

  // The first node on the side where the guard that was asked for is positive.
  NodeId select(SurfaceSide side, NodeId positive, NodeId negative) {
    return side.sign > 0 ? graph_.select(side.surface, positive, negative)
                         : graph_.select(side.surface, negative, positive);
  }

  NodeId build_extremum(const Place& place, std::uint32_t index, bool largest) {
    const TokenRange first = argument_range(place.formula.expression, index, 0);
    const TokenRange second = argument_range(place.formula.expression, index, 1);
    const NodeId a = build(place, first);
    const NodeId b = build(place, second);
    const NodeId guard = graph_.subtract(a, b);
    const NodeId above = largest ? a : b;
    const NodeId below = largest ? b : a;
    if (place.jumps == Jumps::values || graph_.is_constant(guard)) return graph_.choose(guard, above, below);
    const SurfaceSide side =
        surface(place, index, guard, [&] { return difference_text(place, first, second); });
    return select(side, above, below);
  }

  NodeId build_if(const Place& place, std::uint32_t index) {
    const Expression& expression = place.formula.expression;
    const TokenRange condition = argument_range(expression, index, 0);
    const std::pair<TokenRange, TokenRange> sides = operand_ranges(expression, condition);
    const TokenKind comparison = expression.tokens[condition.end - 1].kind;
    const bool less = comparison == TokenKind::less || comparison == TokenKind::less_equal;
    const NodeId a = build(place, sides.first);
    const NodeId guard = graph_.subtract(a, build(place, sides.second));
    const TokenRange then_range = argument_range(expression, index, 1);
    const TokenRange else_range = argument_range(expression, index, 2);
    if (graph_.is_constant(guard)) {
      const double value = graph_.value(guard);
      return build(place, (less ? value < 0 : value > 0) ? then_range : else_range);
    }
    if (place.jumps == Jumps::values) {
      const NodeId positive = build(place, then_range);
      return graph_.choose(less ? graph_.negate(guard) : guard, positive, build(place, else_range));
    }
    SurfaceSide side =
        surface(place, index, guard, [&] { return difference_text(place, sides.first, sides.second); });
    if (less) side.sign = -side.sign;
    const NodeId positive = build(place, then_range);
    return select(side, positive, build(place, else_range));
  }

  // ---- surfaces -------------------------------------------------------------------------------------

  [[noreturn]] void refuse_jump(const Place& place, std::uint32_t index, const std::string& got) {
    fail_at(place, token_range(place.formula, index), "a discontinuity inside a guard",
            "a guard that is smooth, because its own sign is what jumps", got,
            "turn it into an if(…) outside, so that each branch has a smooth guard");
  }

  // The surface where a guard vanishes. Guards that differ by a constant factor vanish together.
  template <class Text>
  SurfaceSide surface(const Place& place, std::uint32_t index, NodeId guard, const Text& make_text) {
    const Expression& expression = place.formula.expression;
    if (place.jumps == Jumps::refused) {
      const Function function = functions()[place.formula.symbols[index].index].function;
      refuse_jump(
          place, index,
          quoted(expression.spelling(expression.tokens[index])) + ", which " + kink_or_jump(function));
    }
    if (graph_.has_lambda(guard)) {
      const std::string inner = make_text();
      refuse_jump(place, index,
                  quoted(inner) + " under " + quoted(expression.spelling(expression.tokens[index])));
    }
    const GuardKey key = guard_key(graph_, guard);
    const auto next = static_cast<std::uint32_t>(surfaces_.size());
    const auto [known, added] = surface_numbers_.try_emplace(key.key, SurfaceSide{next, key.sign});
    const Position position = place.formula.position;
    if (added) {
      surfaces_.push_back(
          {make_text(), guard, false, position, expression.tokens[index].begin, place.element});
      return {next, 1};
    }
    Surface& first = surfaces_[known->second.surface];
    const std::uint32_t token = expression.tokens[index].begin;
    if (!first.named &&
        std::tie(position, token, place.element) < std::tie(first.position, first.token, first.element)) {
      first.position = position;
      first.token = token;
      first.element = place.element;
      if (guard == first.guard) first.name = make_text();
    }
    return {known->second.surface, key.sign * known->second.sign};
  }

  // A range of tokens as text, with the elements of vectors by their names.
  std::string text(const Place& place, TokenRange range) {
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
  std::string difference_text(const Place& place, TokenRange first, TokenRange second) {
    const std::string a = text(place, first);
    const std::string b = text(place, second);
    if (b == "0" || b == "0.0") return a;
    const TokenKind last = place.formula.expression.tokens[root_token(place.formula.expression, second)].kind;
    const bool brackets = last == TokenKind::add || last == TokenKind::subtract || last == TokenKind::negate;
    const bool from_zero = a == "0" || a == "0.0";
    return (from_zero ? "-" : a + " - ") + (brackets ? "(" + b + ")" : b);
  }

  void build_surfaces() {
    const auto fresh = [](const std::vector<std::uint32_t>& sizes) {
      Built built;
      for (const std::uint32_t count : sizes) built.emplace_back(count, not_built);
      return built;
    };
    definition_nodes_ = fresh(definition_sizes_);
    definition_values_ = fresh(definition_sizes_);
    surface_nodes_ = fresh(surface_sizes_);
    for (std::uint32_t k = 0; k < model_.surfaces.size(); ++k) {
      for (std::uint32_t element = 1; element <= surface_sizes_[k]; ++element)
        if (!succeeds([&] { add_named_surface(k, element); })) break;
    }
  }

  void add_named_surface(std::uint32_t k, std::uint32_t element) {
    const Quantity& quantity = model_.surfaces[k];
    const std::string name = quantity.is_vector() ? quantity.name + std::to_string(element) : quantity.name;
    start_expression();
    const NodeId guard = named_value(quantity, surface_nodes_, k, element, Jumps::refused);
    if (graph_.is_constant(guard)) {
      Mistake mistake;
      mistake.where = quantity.value.position;
      mistake.what = "surface " + quoted(name) + " can never be met";
      mistake.expected = "a guard that depends on a state or on t";
      mistake.got = "the constant " + shown(graph_.value(guard));
      fail(std::move(mistake));
    }
    const GuardKey key = guard_key(graph_, guard);
    const auto next = static_cast<std::uint32_t>(surfaces_.size());
    if (surface_numbers_.try_emplace(key.key, SurfaceSide{next, key.sign}).second)
      surfaces_.push_back({name, guard, true, quantity.position, 0, element});
  }

  // Named surfaces in the order of the file, then the others by their first appearance.
  void sort_surfaces() {
    std::vector<std::uint32_t> order(surfaces_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Surface& first = surfaces_[a];
      const Surface& second = surfaces_[b];
      if (first.named != second.named) return first.named;
      if (first.named) return a < b;
      return std::tie(first.position, first.token, first.element) <
             std::tie(second.position, second.token, second.element);
    });
    std::unordered_set<std::string> names;
    expanded_.lambda_index.resize(surfaces_.size());
    for (const std::uint32_t number : order) {
      Surface& surface = surfaces_[number];
      std::string name = surface.name;
      for (int copy = 2; !names.insert(name).second; ++copy)
        name = surface.name + " (" + std::to_string(copy) + ")";
      expanded_.lambda_index[number] = static_cast<std::uint32_t>(expanded_.surfaces.size());
      expanded_.surfaces.push_back({std::move(name), surface.named, surface.guard});
    }
  }

  // ---- everything else ------------------------------------------------------------------------------

  // The value of an assignment for each state it means, in any order.
  void build_assignment(const Assignment& assignment, Jumps jumps, std::vector<ExpandedAssignment>& result) {
    const bool vector = model_.states[assignment.state].is_vector();
    const std::uint32_t count = state_sizes_[assignment.state];
    if (assignment.element > count) {
      mistakes_.push_back({assignment.position, 1, "an element that does not exist",
                           "at most " + std::to_string(count) + " elements",
                           std::to_string(assignment.element), ""});
      return;
    }
    const bool every = vector && assignment.element == 0;
    const std::uint32_t first = every || !vector ? 1 : assignment.element;
    const std::uint32_t last = every ? count : first;
    for (std::uint32_t element = first; element <= last; ++element) {
      NodeId node = 0;
      if (!succeeds([&] { node = build_root({assignment.value, jumps, every ? element : 0}); })) return;
      result.push_back({first_state_[assignment.state] + element - 1, node, assignment.value.position});
    }
  }

  ExpandedMotion motion(const std::string& location, const std::vector<ExpandedAssignment>& derivatives) {
    const std::size_t count = expanded_.state_names.size();
    ExpandedMotion result{location, std::vector<NodeId>(count, graph_.constant(0)),
                          std::vector<Position>(count)};
    for (const ExpandedAssignment& derivative : derivatives) {
      result.derivatives[derivative.state] = derivative.value;
      result.places[derivative.state] = derivative.place;
    }
    return result;
  }

  void build_motion() {
    std::vector<ExpandedAssignment> everywhere;
    for (const Assignment& line : model_.derivatives) build_assignment(line, Jumps::surfaces, everywhere);
    if (model_.locations.empty()) expanded_.motions.push_back(motion("", everywhere));
    for (const LocationDescription& location : model_.locations) {
      std::vector<ExpandedAssignment> here = everywhere;
      for (const Assignment& line : location.derivatives) build_assignment(line, Jumps::surfaces, here);
      expanded_.motions.push_back(motion(location.name, here));
    }
    expanded_.initial_location = model_.initial_location;
  }

  void build_events() {
    build_events(model_.resets, expanded_.resets);
    build_events(model_.stops, expanded_.stops);
    build_events(model_.records, expanded_.records);
    build_events(model_.edges, expanded_.edges);
    for (const ContactDescription& contact : model_.contacts) {
      ExpandedContact made;
      made.name = contact.name;
      build_formula(contact.gap, Jumps::refused, made.gap);
      for (const Assignment& line : contact.acts_on) build_assignment(line, Jumps::refused, made.acts_on);
      build_formula(contact.restitution, Jumps::values, made.restitution);
      expanded_.contacts.push_back(std::move(made));
    }
  }

  // Definitions that nothing refers to are built for their mistakes only.
  void build_unused_definitions() {
    std::vector<bool> used(model_.definitions.size(), false);
    const auto mark = [&](const Formula& formula) {
      for (const Symbol& symbol : formula.symbols)
        if (symbol.kind == SymbolKind::definition) used[symbol.index] = true;
    };
    const auto mark_all = [&](const std::vector<Assignment>& lines) {
      for (const Assignment& line : lines) mark(line.value);
    };
    for (const Quantity& definition : model_.definitions) mark(definition.value);
    for (const Quantity& surface : model_.surfaces) mark(surface.value);
    mark_all(model_.derivatives);
    for (const LocationDescription& location : model_.locations) mark_all(location.derivatives);
    for (const auto* events : {&model_.resets, &model_.stops, &model_.records, &model_.edges})
      for (const EventDescription& event : *events) {
        mark(event.when);
        mark_all(event.set);
      }
    for (const ContactDescription& contact : model_.contacts) {
      mark(contact.gap);
      mark_all(contact.acts_on);
    }
    for (std::uint32_t k = 0; k < used.size(); ++k) {
      if (used[k]) continue;
      for (std::uint32_t element = 1; element <= definition_sizes_[k]; ++element) {
        start_expression();
        const Quantity& definition = model_.definitions[k];
        if (!succeeds([&] { named_value(definition, definition_nodes_, k, element, Jumps::surfaces); }))
          break;
      }
    }
  }

  void build_formula(const Formula& formula, Jumps jumps, NodeId& node) {
    succeeds([&] { node = build_root({formula, jumps, 0}); });
  }

  void build_events(const std::vector<EventDescription>& events, std::vector<ExpandedEvent>& result) {
    for (const EventDescription& event : events) {
      ExpandedEvent made{event.name, 0, event.direction, {}, event.from, event.to, event.zeno};
      build_formula(event.when, Jumps::refused, made.guard);
      for (const Assignment& line : event.set) build_assignment(line, Jumps::values, made.set);
      result.push_back(std::move(made));
    }
  }

  const ModelDescription& model_;
  Check check_;
  const ExpansionLimits& limits_;
  Mistakes& mistakes_;
  ExpandedModel& expanded_;
  ExpressionGraph& graph_;
  std::unordered_map<std::string, double> settings_;

  std::vector<NodeId> parameter_nodes_;
  std::vector<std::uint32_t> state_sizes_, definition_sizes_, surface_sizes_;
  double elements_ = 0;
  std::vector<std::uint32_t> first_state_;
  Built definition_nodes_, definition_values_, surface_nodes_;

  std::vector<Surface> surfaces_;
  std::unordered_map<NodeId, SurfaceSide> surface_numbers_;  // by key

  std::vector<Operand> stack_;
  int depth_ = 0;
};

}  // namespace

ExpandedModel expand(const ModelDescription& model, const Settings& settings, Check check,
                     const ExpansionLimits& limits, Mistakes& mistakes) {
  ExpandedModel expanded{ExpressionGraph(limits.operations)};
  Expander(model, settings, check, limits, mistakes, expanded).run();
  return expanded;
}

}  // namespace slideway::reader
