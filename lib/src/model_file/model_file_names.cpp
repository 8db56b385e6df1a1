// resolve_names: what every name in an expression stands for, and whether it may stand there.

#include <algorithm>
#include <map>
#include <unordered_map>

#include "expression/expression_functions.hpp"
#include "model_file/model_file_description.hpp"

namespace slideway::reader {
namespace {

const char* kind_name(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::parameter: return "a parameter";
    case SymbolKind::state: return "a state";
    case SymbolKind::definition: return "a definition";
    case SymbolKind::surface: return "a surface";
    case SymbolKind::index: return "the index of vectors";
    case SymbolKind::element: return "the element of a vector";
    case SymbolKind::time: return "the time";
    case SymbolKind::pi: return "a constant";
    case SymbolKind::impact: return "the approach speed of a contact";
    case SymbolKind::table: return "a table";
    case SymbolKind::contact: return "the force of a contact";
    case SymbolKind::friction:
    case SymbolKind::second_friction: return "the friction of a contact";
    default: return "a function";
  }
}

std::string count_of_arguments(std::uint32_t n) {
  return std::to_string(n) + (n == 1 ? " argument" : " arguments");
}

// Scope tells where an expression stands, and so what it may use.
struct Scope {
  bool motion = true;          // states, definitions, surfaces and t
  bool index = false;          // i
  bool impact = false;         // the approach speed
  std::size_t parameters = 0;  // how many of the parameters, from the first
  const char* expected = "";   // for a name that is unknown or may not stand here
  bool element = false;        // j
  bool states = false;         // the initial values of states, where there is no motion
  bool condition = false;      // a > b and c > d in place of a number
  bool forces = false;         // those of contacts
};

const char* const anything = "a parameter, state, definition or surface";
const char* const observable_expected = "a definition, a surface, a contact, a state or a parameter";
const char* const constants = "a number or a parameter";
const char* const one_number = "a number";
const char* const earlier = "a number or a parameter that is defined earlier";

class NameResolver {
 public:
  NameResolver(ModelDescription& model, Mistakes& mistakes) : model_(model), mistakes_(mistakes) {}

  void resolve() {
    for (const FunctionEntry& entry : functions())
      symbols_[entry.name] = {SymbolKind::function, static_cast<std::uint32_t>(&entry - functions().data()),
                              0};
    symbols_["t"] = {SymbolKind::time, 0, 0};
    symbols_["pi"] = {SymbolKind::pi, 0, 0};
    if (model_.has_vectors()) symbols_["i"] = {SymbolKind::index, 0, 0};
    if (!model_.contacts.empty()) symbols_["impact"] = {SymbolKind::impact, 0, 0};
    declare(model_.parameters, SymbolKind::parameter);
    declare(model_.states, SymbolKind::state);
    declare(model_.definitions, SymbolKind::definition);
    declare(model_.surfaces, SymbolKind::surface);
    declare_tables();
    for (const FrictionDescription& friction : model_.friction)
      if (friction.state) symbols_[friction.name + ".z"] = {SymbolKind::state, *friction.state, 0};
    declare_names();

    resolve_constants();
    const Scope motion{true, false, false, model_.parameters.size(), anything};
    for (auto* quantities : {&model_.definitions, &model_.surfaces})
      for (Quantity& quantity : *quantities) resolve_quantity(quantity, motion);
    for (Quantity& surface : model_.surfaces) {
      if (!surface.break_away) continue;
      Scope scope = motion;
      scope.index = surface.is_vector();
      resolve_formula(*surface.break_away, scope);
      if (surface.break_away_below) resolve_formula(*surface.break_away_below, scope);
    }
    find_circles();
    resolve_all(model_.derivatives, motion);
    for (MassRow& row : model_.mass) {
      Scope entries = motion;
      entries.index = model_.states[row.state].may_be_vector();
      resolve_all(row.entries, entries);
    }
    for (LocationDescription& location : model_.locations) resolve_all(location.derivatives, motion);
    for (auto* events : {&model_.resets, &model_.stops, &model_.records, &model_.edges})
      for (EventDescription& event : *events) {
        const Scope scope = scope_of_table(event.size, motion);
        Scope guard = scope;
        guard.condition = true;
        resolve_formula(event.when, guard);
        resolve_all(event.set, scope);
        if (event.delay) resolve_formula(*event.delay, constant_scope(event.size.has_value()));
      }
    for (AutomatonDescription& automaton : model_.automata) {
      Scope scope = motion;
      scope.index = model_.states[automaton.state].is_vector();
      // The element of a vector is the number of the automaton.
      for (LocationDescription& location : automaton.locations)
        for (Assignment& line : location.derivatives) resolve_line(line, line.indexed ? scope : motion);
      for (EventDescription& edge : automaton.edges) {
        resolve_size(edge.size);
        Scope guard = scope;
        guard.condition = true;
        resolve_formula(edge.when, guard);
        resolve_all(edge.set, scope);
      }
    }
    for (EveryDescription& every : model_.every) {
      const Scope scope = scope_of_table(every.size, motion);
      const Scope fixed = constant_scope(every.size.has_value());
      for (auto* const formula : {&every.period, &every.offset, &every.count})
        if (*formula) resolve_formula(**formula, fixed);
      for (Formula& time : every.at) resolve_formula(time, fixed);
      resolve_all(every.set, scope);
    }
    for (ContactDescription& contact : model_.contacts) {
      const Scope scope = scope_of_table(contact.size, motion);
      resolve_formula(contact.gap, scope);
      resolve_all(contact.acts_on, scope);
      const Scope restitution{false, scope.index, true, model_.parameters.size(),
                              "a number, a parameter or 'impact'"};
      resolve_formula(contact.restitution, restitution);
      if (!contact.friction) continue;
      resolve_formula(contact.friction->coefficient, scope);
      if (contact.friction->at_rest) resolve_formula(*contact.friction->at_rest, scope);
      for (Formula& velocity : contact.friction->velocities) resolve_formula(velocity, scope);
      for (auto& part : contact.friction->acts_on) resolve_all(part, scope);
    }
    for (ObservableDescription& observable : model_.observables) resolve_observable(observable, motion);
  }

 private:
  struct NamePlace {
    std::string kind;
    Position position;
  };

  void mistake(Position where, std::size_t length, std::string what, std::string expected = "",
               std::string got = "", std::string hint = "") {
    mistakes_.push_back(
        {where, length, std::move(what), std::move(expected), std::move(got), std::move(hint)});
  }

  // ---- names ----------------------------------------------------------------------------------------

  void declare(const std::vector<Quantity>& quantities, SymbolKind kind) {
    for (std::uint32_t k = 0; k < quantities.size(); ++k) {
      const Quantity& quantity = quantities[k];
      if (!quantity.hidden && !is_identifier(quantity.name)) {
        const std::size_t bracket = quantity.name.find('[');
        mistake(quantity.position, quantity.name.size(), "not a name for an expression",
                "letters, digits and '_', a digit not first", in_quotes(quantity.name),
                bracket == std::string::npos ? ""
                                             : "a vector is " + quantity.name.substr(0, bracket) +
                                                   " = { size = \"N\", value = \"…\" }");
        if (bracket != std::string::npos) model_.told_names.insert({quantity.name.substr(0, bracket), "i"});
        continue;
      }
      const auto known = symbols_.find(quantity.name);
      if (is_condition_word(quantity.name)) {
        mistake(quantity.position, quantity.name.size(), "a reserved name", "another name",
                in_quotes(quantity.name) + ", which joins conditions");
        continue;
      }
      if (kind == SymbolKind::state && !quantity.is_vector() && is_column_of_tables(quantity.name)) {
        mistake(quantity.position, quantity.name.size(), "a reserved name", "another name",
                in_quotes(quantity.name) + ", a column of every table");
      } else if (known == symbols_.end()) {
        symbols_[quantity.name] = {kind, k, 0};
        places_[quantity.name] = {kind_name(kind), quantity.position};
      } else if (places_.count(quantity.name) > 0) {
        given_twice(quantity.name, quantity.position, kind_name(kind));
      } else {
        mistake(quantity.position, quantity.name.size(), "a reserved name", "another name",
                in_quotes(quantity.name) + ", " + kind_name(known->second.kind));
      }
      if (quantity.may_be_vector()) vectors_.push_back({kind, k, 0});
    }
  }

  void declare_tables() {
    for (std::uint32_t k = 0; k < model_.tables.size(); ++k) {
      const TableDescription& table = model_.tables[k];
      const auto known = symbols_.find(table.name);
      if (!is_identifier(table.name) || is_condition_word(table.name)) {
        mistake(table.position, table.name.size(), "not a name for a table",
                "letters, digits and '_', a digit not first", in_quotes(table.name));
      } else if (known == symbols_.end()) {
        symbols_[table.name] = {SymbolKind::table, k, 0};
        places_[table.name] = {"a table", table.position};
      } else if (places_.count(table.name) > 0) {
        given_twice(table.name, table.position, "a table");
      } else {
        mistake(table.position, table.name.size(), "a reserved name", "another name",
                in_quotes(table.name) + ", " + kind_name(known->second.kind));
      }
    }
  }

  void given_twice(const std::string& name, Position position, const std::string& kind) {
    const NamePlace& first = places_.at(name);
    mistake(position, name.size(), "the name " + in_quotes(name) + " is given twice",
            "a name that nothing else has",
            first.kind + " (line " + std::to_string(first.position.line) + ") and " + kind);
  }

  // Names that stand in no expression, but in messages and event tables.
  void declare_name(const std::string& name, Position position, const std::string& kind) {
    if (name.empty()) return;
    if (places_.count(name) > 0)
      given_twice(name, position, kind);
    else
      places_[name] = {kind, position};
  }

  void declare_names() {
    for (const auto& every : model_.every) declare_name(every.name, every.position, "a time event");
    for (const auto& event : model_.resets) declare_name(event.name, event.position, "a reset");
    for (const auto& event : model_.stops) declare_name(event.name, event.position, "a stop");
    for (const auto& event : model_.records) declare_name(event.name, event.position, "a record");
    for (const auto& contact : model_.contacts) declare_name(contact.name, contact.position, "a contact");
    for (const auto& contact : model_.contacts) {
      if (!contact.friction) continue;
      for (const std::string& name : contact.friction->names)
        declare_name(name, contact.friction->position, "the friction of a contact");
    }
    for (const auto& location : model_.locations)
      declare_name(location.name, location.position, "a location");
    for (const auto& event : model_.edges) declare_name(event.name, event.position, "an edge");
    for (const auto& automaton : model_.automata)
      for (const auto& edge : automaton.edges) declare_name(edge.name, edge.position, "an edge");
  }

  const Quantity& quantity(Symbol symbol) const {
    switch (symbol.kind) {
      case SymbolKind::parameter: return model_.parameters[symbol.index];
      case SymbolKind::state: return model_.states[symbol.index];
      case SymbolKind::definition: return model_.definitions[symbol.index];
      default: return model_.surfaces[symbol.index];
    }
  }
  static bool is_quantity(Symbol symbol) {
    return symbol.kind >= SymbolKind::parameter && symbol.kind <= SymbolKind::surface;
  }

  Symbol find(const std::string& name) const {
    const auto known = symbols_.find(name);
    if (known != symbols_.end()) return known->second;
    for (Symbol vector : vectors_) {
      vector.element = element_number(name, quantity(vector).name);
      if (vector.element > 0) return vector;
    }
    return {};
  }

  // ---- expressions ----------------------------------------------------------------------------------

  void resolve_constants() {
    for (std::size_t k = 0; k < model_.parameters.size(); ++k)
      resolve_formula(model_.parameters[k].value, {false, false, false, k, k == 0 ? one_number : earlier});
    const Scope fixed{false, false, false, model_.parameters.size(), constants};
    resolve_formula(model_.start, fixed);
    resolve_formula(model_.end, fixed);
    Scope initial = fixed;
    initial.states = true;
    initial.expected = "a number, a parameter or another state";
    for (Quantity& state : model_.states) resolve_quantity(state, initial);
  }

  void resolve_size(std::optional<Formula>& size) {
    if (size) resolve_formula(*size, {false, false, false, model_.parameters.size(), constants});
  }

  // constant_scope() allows numbers and parameters, and i in a table with a size.
  Scope constant_scope(bool has_index) const {
    return {false, has_index, false, model_.parameters.size(), constants};
  }

  Scope scope_of_table(std::optional<Formula>& size, Scope scope) {
    resolve_size(size);
    scope.index = size.has_value();
    return scope;
  }

  void resolve_quantity(Quantity& quantity, Scope scope) {
    resolve_size(quantity.size);
    scope.index = quantity.may_be_vector();
    resolve_formula(quantity.value, scope);
  }

  // `table` is the scope where the lines stand.
  void resolve_all(std::vector<Assignment>& assignments, const Scope& table) {
    for (Assignment& assignment : assignments) resolve_line(assignment, table);
  }

  void resolve_line(Assignment& assignment, const Scope& table) {
    Scope scope = table;
    if (assignment.indexed)
      resolve_formula(*assignment.indexed, scope);
    else if (assignment.element == 0 && model_.states[assignment.state].may_be_vector()) {
      // The element of a vector has a number, and so has the entry of a table with a size: both may be named.
      scope.element = table.index;
      scope.index = true;
    }
    resolve_formula(assignment.value, scope);
  }

  // A name alone may be that of a vector or of a contact, too.
  void resolve_observable(ObservableDescription& observable, const Scope& motion) {
    Formula& formula = observable.value;
    const Expression& expression = formula.expression;
    Scope scope = motion;
    scope.expected = observable_expected;
    scope.forces = true;
    if (expression.tokens.size() != 1 || expression.tokens.front().kind != TokenKind::name)
      return resolve_formula(formula, scope);
    const std::string name(expression.spelling(expression.tokens.front()));
    const Symbol symbol = find(name);
    // A contact may be called like a function, 'floor'.
    if (symbol.kind == SymbolKind::unresolved || symbol.kind == SymbolKind::function) {
      const Symbol force = find_force(name);
      if (force.kind != SymbolKind::unresolved) {
        observable.contact = force.index;
        observable.contact_element = force.element;
        observable.friction = force.kind == SymbolKind::friction          ? 1
                              : force.kind == SymbolKind::second_friction ? 2
                                                                          : 0;
        return;
      }
    } else if (is_quantity(symbol) && quantity(symbol).is_vector() && symbol.element == 0) {
      formula.symbols = {symbol};
      observable.whole_vector = true;
      return;
    }
    resolve_formula(formula, scope);
  }

  // The force of a contact, or of its friction.
  Symbol find_force(const std::string& name) const {
    for (std::uint32_t k = 0; k < model_.contacts.size(); ++k) {
      const ContactDescription& contact = model_.contacts[k];
      std::vector<std::pair<SymbolKind, std::string>> known = {{SymbolKind::contact, contact.name}};
      for (std::size_t part = 0; contact.friction && part < contact.friction->names.size(); ++part)
        known.emplace_back(part == 0 ? SymbolKind::friction : SymbolKind::second_friction,
                           contact.friction->names[part]);
      for (const auto& [kind, own] : known) {
        const std::uint32_t element = contact.size && !own.empty() ? element_number(name, own) : 0;
        if ((!own.empty() && name == own) || element > 0) return {kind, k, element};
      }
    }
    return {};
  }

  void resolve_formula(Formula& formula, const Scope& scope) {
    const Expression& expression = formula.expression;
    formula.symbols.assign(expression.tokens.size(), {});
    summed_.assign(expression.tokens.size(), false);
    for (std::uint32_t k = 0; k < expression.tokens.size(); ++k) {
      const Token& token = expression.tokens[k];
      if (token.kind == TokenKind::call)
        resolve_call(formula, k);
      else if (token.kind == TokenKind::name || token.kind == TokenKind::element)
        resolve_name(formula, k, scope);
    }
    if (!formula.empty())
      check_kinds(formula, {0, static_cast<std::uint32_t>(expression.tokens.size())}, scope.condition);
  }

  // Conditions stand where numbers may not, and numbers where conditions may not.
  void check_kinds(const Formula& formula, TokenRange range, bool may_be_condition) {
    const Expression& expression = formula.expression;
    std::vector<std::uint32_t> operands;  // the token that each is made by
    for (std::uint32_t k = range.begin; k < range.end; k = expression.tokens[k].next) {
      const Token& token = expression.tokens[k];
      for (std::uint32_t number = 0; number < token.arguments; ++number)
        check_kinds(formula, argument_range(expression, k, number), is_if(formula, k) && number == 0);
      const bool of_two = token.kind != TokenKind::negate && token.kind != TokenKind::opposite;
      const bool is_leaf = token.kind == TokenKind::number || token.kind == TokenKind::name ||
                           token.kind == TokenKind::element || token.kind == TokenKind::call;
      if (!is_leaf) {
        const bool joins = is_condition(token.kind) && !is_comparison(token.kind);
        for (std::size_t of = of_two ? 2 : 1; of > 0; --of)
          check_kind(formula, operands[operands.size() - of], joins, k);
        operands.resize(operands.size() - (of_two ? 2 : 1));
      }
      operands.push_back(k);
    }
    const std::uint32_t root = operands.back();
    if (!may_be_condition && is_condition(expression.tokens[root].kind)) refuse_condition(formula, root);
  }

  static bool is_if(const Formula& formula, std::uint32_t token) {
    const Symbol symbol = formula.symbols[token];
    return formula.expression.tokens[token].kind == TokenKind::call && symbol.kind == SymbolKind::function &&
           functions()[symbol.index].function == Function::if_;
  }

  void check_kind(const Formula& formula, std::uint32_t operand, bool wants_condition, std::uint32_t by) {
    const Expression& expression = formula.expression;
    const bool is_one = is_condition(expression.tokens[operand].kind);
    if (is_one && !wants_condition) return refuse_condition(formula, operand);
    if (is_one || !wants_condition) return;
    const std::string word = in_quotes(expression.spelling(expression.tokens[by]));
    token_mistake(formula, expression.tokens[operand], "no condition beside " + word,
                  "a comparison, as a > b", in_quotes(expression.spelling(expression.tokens[operand])),
                  "of a state that is 0 or 1 write m > 0.5, or m == 1");
  }

  void token_mistake(const Formula& formula, const Token& token, std::string what, std::string expected,
                     std::string got, std::string hint = "") {
    mistake(place_of(model_.source, formula, token.begin), token.end - token.begin,
            std::move(what) + (formula.owner.empty() ? "" : " in " + formula.owner), std::move(expected),
            std::move(got), std::move(hint));
  }

  void resolve_name(Formula& formula, std::uint32_t index, const Scope& scope) {
    const Token& token = formula.expression.tokens[index];
    const std::string name(formula.expression.spelling(token));
    const auto part = formula.prefix.empty() ? symbols_.end() : symbols_.find(formula.prefix + name);
    Symbol symbol = part != symbols_.end() ? part->second : find(name);
    if (symbol.kind == SymbolKind::unresolved && name == "j" && scope.element)
      symbol.kind = SymbolKind::element;
    const bool may_be_force = symbol.kind == SymbolKind::unresolved || symbol.kind == SymbolKind::function;
    if (scope.forces && may_be_force && token.kind == TokenKind::name) {
      const Symbol force = find_force(name);
      if (force.kind != SymbolKind::unresolved) {
        formula.symbols[index] = force;
        if (model_.contacts[force.index].size && force.element == 0)
          token_mistake(formula, token, "contacts with a size, without a number", name + "1",
                        in_quotes(name));
        return;
      }
    }
    formula.symbols[index] = symbol;
    if (symbol.kind == SymbolKind::element && token.kind == TokenKind::name) return;
    if (symbol.kind == SymbolKind::unresolved) return unknown_name(formula, token, name, scope);
    if (symbol.kind == SymbolKind::function || symbol.kind == SymbolKind::table)
      return token_mistake(formula, token, kind_name(symbol.kind) + std::string(" without its argument"),
                           name + "(…)", in_quotes(name));

    const bool allowed = symbol.kind == SymbolKind::pi || (symbol.kind == SymbolKind::index && scope.index) ||
                         (symbol.kind == SymbolKind::impact && scope.impact) ||
                         (symbol.kind == SymbolKind::parameter && symbol.index < scope.parameters) ||
                         (symbol.kind == SymbolKind::state && scope.states) ||
                         (symbol.kind != SymbolKind::parameter && symbol.kind != SymbolKind::index &&
                          symbol.kind != SymbolKind::impact && scope.motion);
    if (!allowed) return not_here(formula, token, name, symbol, scope);

    if (is_quantity(symbol) && quantity(symbol).unknown_shape) return;
    const bool vector = is_quantity(symbol) && quantity(symbol).is_vector() && symbol.element == 0;
    if (token.kind == TokenKind::element && !vector)
      token_mistake(formula, token, "an index of what is no vector", "a vector",
                    in_quotes(name) + ", " + kind_name(symbol.kind));
    if (summed_[index] && !(token.kind == TokenKind::name && vector)) return not_summed(formula, token);
    if (token.kind == TokenKind::name && vector && !summed_[index])
      token_mistake(formula, token, "a vector without an index", name + "[i] or " + name + "[1]",
                    in_quotes(name));
  }

  void unknown_name(const Formula& formula, const Token& token, const std::string& name, const Scope& scope) {
    if (model_.told_names.count(name) > 0) return;
    std::string hint;
    if (name == "i")
      hint = "the index i has a meaning for vectors only: x = { size = \"N\", value = \"0\" }";
    else if (name == "j" && model_.has_vectors())
      hint =
          "j is the number of the element in a value for every element of a vector, x = \"x[j] + w[i]\", in "
          "the "
          "`set` or `acts_on` of a table with a size; there i is the number of the table, and elsewhere i is "
          "that "
          "of the element";
    else if (name == "e")
      hint = "the number e is exp(1)";
    else if (name == "inf" || name == "nan")
      hint = "only finite numbers have a meaning here";
    else
      hint = suggest(name, scope.forces);
    token_mistake(formula, token, "unknown name", scope.expected, in_quotes(name), hint);
  }

  void not_here(const Formula& formula, const Token& token, const std::string& name, Symbol symbol,
                const Scope& scope) {
    std::string hint;
    if (symbol.kind == SymbolKind::index)
      hint =
          "i has a value in an expression for the elements of a vector, and in a table of an event, "
          "contact or friction force with a key size = \"N\", which stands for one for every i; "
          "elsewhere name an element, x1 or x[1]";
    else if (symbol.kind == SymbolKind::impact)
      hint = "'impact' is known only in the restitution of a contact";
    else if (symbol.kind == SymbolKind::parameter)
      hint = "parameters are found in the order of the file";
    token_mistake(formula, token, "a name that may not stand", scope.expected,
                  in_quotes(name) + ", " + kind_name(symbol.kind), hint);
  }

  // Looking for a near name takes time, and only the first mistakes are shown.
  std::string suggest(const std::string& name, bool forces) const {
    if (mistakes_.size() > 50) return "";
    std::vector<std::string> known;
    for (const ContactDescription& contact : model_.contacts) {
      if (!forces) break;
      if (is_identifier(contact.name)) known.push_back(contact.name);
      if (contact.friction)
        known.insert(known.end(), contact.friction->names.begin(), contact.friction->names.end());
    }
    for (const auto& [word, symbol] : symbols_)
      if (is_identifier(word)) known.push_back(word);
    std::sort(known.begin(), known.end());
    return suggestion(name, known);
  }

  void resolve_call(Formula& formula, std::uint32_t index) {
    const Expression& expression = formula.expression;
    const Token& token = expression.tokens[index];
    const std::string name(expression.spelling(token));
    const Symbol symbol = find(name);
    if (symbol.kind == SymbolKind::unresolved) {
      return token_mistake(formula, token, "unknown function", one_of(function_names()), in_quotes(name),
                           mistakes_.size() > 50 ? "" : hint_for_function(name));
    }
    if (symbol.kind == SymbolKind::table) {
      formula.symbols[index] = symbol;
      return check_table_call(formula, token, model_.tables[symbol.index]);
    }
    if (symbol.kind != SymbolKind::function)
      return token_mistake(formula, token, "not a function", "an operator after " + in_quotes(name), "'('",
                           asks_for_the_past(expression, index, symbol)
                               ? no_past
                               : "write a product with '*', an element of a vector with [ ]");
    formula.symbols[index] = symbol;
    const FunctionEntry& entry = functions()[symbol.index];
    if (token.arguments != entry.arguments) {
      const bool nests =
          (entry.function == Function::min || entry.function == Function::max) && token.arguments > 2;
      token_mistake(formula, token, "a call of " + in_quotes(name), count_of_arguments(entry.arguments),
                    count_of_arguments(token.arguments),
                    nests ? "write " + name + "(" + name + "(a, b), c)" : "");
    }
    if (entry.function == Function::sum && token.arguments == 1) {
      const TokenRange summed = argument_range(expression, index, 0);
      const bool is_one =
          summed.end == summed.begin + 1 && expression.tokens[summed.begin].kind == TokenKind::name;
      if (!is_one) return not_summed(formula, token);
      summed_[summed.begin] = true;
    }
    if (entry.function != Function::if_) return;
    const TokenRange condition = argument_range(expression, index, 0);
    const std::uint32_t root = root_token(expression, condition);
    if (!is_condition(expression.tokens[root].kind))
      token_mistake(formula, token, "'if' without a comparison", "if(a > b, p, q)",
                    in_quotes(print_expression(expression, condition)));
  }

  // A state that is called with the time, as in x(t - 1).
  static bool asks_for_the_past(const Expression& expression, std::uint32_t index, const Symbol& symbol) {
    const TokenRange at = argument_range(expression, index, 0);
    return symbol.kind == SymbolKind::state &&
           std::any_of(expression.tokens.begin() + at.begin, expression.tokens.begin() + at.end,
                       [&](const Token& token) {
                         return token.kind == TokenKind::name && expression.spelling(token) == "t";
                       });
  }

  // A table that is near, or what a function is called here.
  std::string hint_for_function(const std::string& name) const {
    std::vector<std::string> tables;
    for (const TableDescription& table : model_.tables) tables.push_back(table.name);
    const std::string near = suggestion(name, tables);
    return near.empty() ? function_hint(name) : near;
  }

  void check_table_call(const Formula& formula, const Token& token, const TableDescription& table) {
    if (!table.table) return;
    const std::uint32_t wanted = table.table->has_two_variables() ? 2 : 1;
    if (token.arguments != wanted)
      token_mistake(formula, token, "a call of the table " + in_quotes(table.name),
                    count_of_arguments(wanted), count_of_arguments(token.arguments));
  }

  void not_summed(const Formula& formula, const Token& token) {
    token_mistake(formula, token, "a sum of what is no vector", "sum(x) with the name of a vector",
                  in_quotes(formula.expression.spelling(token)),
                  "give a name in [definitions] to what is summed: y = { size = \"N\", value = \"x[i]^2\" }");
  }

  void refuse_condition(const Formula& formula, std::uint32_t index) {
    const Token& token = formula.expression.tokens[index];
    std::string hint = "write step(a - b), which is 1 where a > b and else 0";
    if (formula.owner.rfind("the guard of", 0) == 0)
      hint = "a surface is where an expression changes its sign: write a - b instead of a > b";
    token_mistake(formula, token, is_comparison(token.kind) ? "a comparison" : "a condition",
                  "one only in the 'when' of an event, and as the first argument of if(a > b, p, q)",
                  in_quotes(formula.expression.spelling(token)), hint);
  }

  // ---- definitions in terms of each other -----------------------------------------------------------

  std::size_t node_count() const { return model_.definitions.size() + model_.surfaces.size(); }
  const Quantity& node(std::size_t k) const {
    const std::size_t definitions = model_.definitions.size();
    return k < definitions ? model_.definitions[k] : model_.surfaces[k - definitions];
  }

  std::vector<std::size_t> uses(std::size_t k) const {
    std::vector<std::size_t> result;
    // An algebraic variable may be made of itself.
    if (node(k).algebraic) return result;
    const Formula& formula = node(k).value;
    for (std::size_t token = 0; token < formula.symbols.size(); ++token) {
      const Symbol symbol = formula.symbols[token];
      if (symbol.kind == SymbolKind::definition) result.push_back(symbol.index);
      if (symbol.kind == SymbolKind::surface) result.push_back(model_.definitions.size() + symbol.index);
    }
    return result;
  }

  // Depth first, without recursion: a chain of definitions may be as long as the file.
  void find_circles() {
    enum class State : std::uint8_t { fresh, open, done };
    std::vector<State> state(node_count(), State::fresh);
    struct Visit {
      std::size_t node;
      std::vector<std::size_t> uses;
      std::size_t next;
    };
    for (std::size_t start = 0; start < node_count(); ++start) {
      if (state[start] != State::fresh) continue;
      std::vector<Visit> path;
      path.push_back({start, uses(start), 0});
      state[start] = State::open;
      while (!path.empty()) {
        Visit& visit = path.back();
        if (visit.next == visit.uses.size()) {
          state[visit.node] = State::done;
          path.pop_back();
          continue;
        }
        const std::size_t used = visit.uses[visit.next++];
        if (state[used] == State::open) {
          std::vector<std::size_t> circle;
          for (const Visit& step : path)
            if (!circle.empty() || step.node == used) circle.push_back(step.node);
          report_circle(circle);
        } else if (state[used] == State::fresh) {
          state[used] = State::open;
          path.push_back({used, uses(used), 0});
        }
      }
    }
  }

  void report_circle(const std::vector<std::size_t>& circle) {
    constexpr std::size_t shown = 8;
    std::string way;
    for (std::size_t k = 0; k < std::min(circle.size(), shown); ++k) way += node(circle[k]).name + " -> ";
    if (circle.size() > shown) way += "… -> ";
    const Quantity& first = node(circle.front());
    mistake(first.position, first.name.size(), "a definition that goes in a circle",
            "definitions that end at states, parameters and numbers", way + first.name);
  }

  ModelDescription& model_;
  Mistakes& mistakes_;
  std::unordered_map<std::string, Symbol> symbols_;
  std::map<std::string, NamePlace> places_;
  std::vector<Symbol> vectors_;
  std::vector<bool> summed_;  // tokens of the formula at hand that are the argument of a sum
};

}  // namespace

void resolve_names(ModelDescription& model, Mistakes& mistakes) { NameResolver(model, mistakes).resolve(); }

}  // namespace slideway::reader
